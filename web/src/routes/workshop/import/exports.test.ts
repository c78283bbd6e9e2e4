import { expect, test } from "vitest";
import { exportPath } from "./exports";

const PLAIN = { form: "docx", title: "", author: " ", chapters: "", track: false, remarks: false } as const;

test("an export asks for what is wished and for nothing that is empty", () => {
  expect(exportPath("/b", PLAIN)).toBe("/b/manuscript/exports/docx");
  expect(exportPath("/b", { ...PLAIN, chapters: "1-3,5", title: "A & B", track: true, remarks: true })).toBe("/b/manuscript/exports/docx?title=A+%26+B&chapters=1-3%2C5&track=true&remarks=true");
});

test("what only Word has is not asked of another format", () => {
  expect(exportPath("/b", { ...PLAIN, form: "epub", track: true, remarks: true })).toBe("/b/manuscript/exports/epub");
});
