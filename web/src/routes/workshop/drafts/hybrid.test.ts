import { expect, test } from "vitest";
import { moved, toggled } from "./hybrid";

test("a paragraph is taken at the end, and given back from anywhere", () => {
  expect(toggled(["A1"], "B3")).toEqual(["A1", "B3"]);
  expect(toggled(["A1", "B3"], "A1")).toEqual(["B3"]);
});

test("a paragraph moves one place, and not over an end", () => {
  expect(moved(["A1", "B3", "C2"], 1, -1)).toEqual(["B3", "A1", "C2"]);
  expect(moved(["A1", "B3"], 1, 1)).toEqual(["A1", "B3"]);
  expect(moved(["A1", "B3"], 0, -1)).toEqual(["A1", "B3"]);
});
