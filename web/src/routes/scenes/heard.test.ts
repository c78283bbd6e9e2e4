import { expect, test } from "vitest";
import { heardAt } from "./heard";

const passages = [
  { id: "0", startMs: 100, endMs: 400 },
  { id: "1", startMs: 500, endMs: 900 },
  { id: "2", startMs: 800, endMs: 1200 },
];

test("the line that is heard is the one that began last, and none in a pause or before the first", () => {
  expect([0, 200, 450, 600, 850, 1199, 1200].map((ms) => heardAt(passages, ms))).toEqual([0, 0, 0, 1, 2, 2, 0]);
  expect(heardAt([], 5)).toBe(0);
});
