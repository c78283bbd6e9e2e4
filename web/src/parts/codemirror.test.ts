import { expect, test } from "vitest";
import { matterOf } from "./codemirror";

test("the settings of a page are found at its top, whole, and nowhere else", () => {
  const text = "---\ntitle: The Mark\ncast: [a]\n---\n\nProse.\n";
  const found = matterOf(text);
  expect(text.slice(0, found?.to)).toBe("---\ntitle: The Mark\ncast: [a]\n---");
  expect(matterOf("---\n---\nx")?.to).toBe(7);
  expect(matterOf("Prose.\n\n---\n\nMore.\n---\n")).toBeNull();
  expect(matterOf("---\nnever closed\n")).toBeNull();
  expect(matterOf("")).toBeNull();
});
