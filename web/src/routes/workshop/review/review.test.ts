import { expect, test } from "vitest";
import type { Schemas } from "../../../api/client";
import { beside, byScene, chosen, undecided } from "./review";

const anchor = (path: string) => ({ path, quote: "early", before: "", after: "" });
const patch = (number: number, path: string, state: "ready" | "made" | "gone" = "ready") => ({
  number, state, why: "", line: 1, start: 0,
  patch: { anchor: anchor(path), new: "late", reason: "", source: "", author: "Mara", at: "" },
});
const patches = [patch(1, "manuscript/ch01-sc02.md"), patch(2, "manuscript/ch02-sc01.md", "gone"), patch(3, "manuscript/ch01-sc02.md"), patch(4, "manuscript/ch01-sc02.md", "made")];
const note = { number: 1, state: "ready" as const, line: 2, answers: null, is_done: false, note: { anchor: anchor("manuscript/ch03-sc01.md"), text: "Who?", source: "", author: "Mara", at: "" } };
const view: Schemas["ReviewView"] = {
  review: { name: "out.docx", scenes: 3, untouched: 0, patches, notes: [note], problems: [] },
  words: [{ number: 1, words: [{ kind: "old", text: "early" }, { kind: "new", text: "late" }] }],
  changed: [],
  acts: [],
};

test("changes and remarks stand with their scenes, in the order of the document", () => {
  expect(byScene(view).map(({ name, changes, remarks }) => [name, changes.map(({ number }) => number), remarks.length])).toEqual([
    ["ch01-sc02", [1, 3, 4], 0],
    ["ch02-sc01", [2], 0],
    ["ch03-sc01", [], 1],
  ]);
  expect(byScene(view)[0]?.changes[0]?.words.map(({ text }) => text)).toEqual(["early", "late"]);
});

test("only what was accepted and can be made is made, and only what can be made is still to be decided", () => {
  const decided = { 1: "accept", 2: "accept", 4: "accept" } as const;
  expect(chosen(patches, decided)).toEqual([1]);
  expect(undecided(patches, decided)).toEqual([3]);
  expect(undecided(patches, { ...decided, 3: "leave" })).toEqual([]);
});

test("the words beside a change are whole, of its own paragraph, and keep the spaces that it begins or ends with", () => {
  const around = (before: string, quote: string, after: string, text = "x") => beside({ anchor: { path: "", quote, before, after }, new: text, reason: "", source: "", author: "", at: "" });
  expect(around("resonance: 5\n---\n\nThey ", "were", " in.\n\nNext one")).toEqual({ before: "They ", after: " in." });
  expect(around("is a word that was cut at its very beginning, ", "so", " and the end of this one was cut as well, somewh")).toEqual({
    before: "… a word that was cut at its very beginning, ",
    after: " and the end of this one was cut as well, …",
  });
  expect(around("The kettle sang.", "", "", " The boats were in.").before).toBe("The kettle sang. ");
});
