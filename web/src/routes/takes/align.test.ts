import { expect, test } from "vitest";
import type { Line } from "../../folds/scene";
import { aligned } from "./align";

const line = (speaker: string, content: string): Line => ({ kind: "line", speaker, content, action: "speak" }) as unknown as Line;
const shown = (left: Line[], right: Line[]) => aligned(left, right).map((row) => [row.left?.content ?? "", row.right?.content ?? "", row.same]);

test("what both takes say stands in one row, and what differs stands beside it", () => {
  expect(shown([line("a", "1"), line("b", "2"), line("a", "3")], [line("a", "1"), line("b", "x"), line("b", "y"), line("a", "3")])).toEqual([
    ["1", "1", true],
    ["2", "x", false],
    ["", "y", false],
    ["3", "3", true],
  ]);
});

test("a take without lines and two that are the same are aligned too", () => {
  expect(shown([], [line("a", "1")])).toEqual([["", "1", false]]);
  expect(shown([line("a", "1")], [line("a", "1")])).toEqual([["1", "1", true]]);
  expect(shown([line("a", "1")], [line("b", "1")])).toEqual([["1", "1", false]]);
});
