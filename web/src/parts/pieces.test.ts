import { expect, test } from "vitest";
import { keysOf, pieces, SIZE } from "./pieces";

const lines = (count: number) => Array.from({ length: count }, (_, number) => ({ number }));

test("all items are in the pieces, each once and in their order, however many there are", () => {
  for (const count of [0, 1, SIZE - 1, SIZE, SIZE + 1, 3 * SIZE + 7]) {
    const items = lines(count);
    expect(pieces(items).flatMap((piece) => piece.items)).toEqual(items);
  }
});

test("one more item leaves every piece but the last the same object", () => {
  const items = lines(2 * SIZE + 1);
  const before = pieces(items);
  const after = pieces([...items, { number: -1 }], before);
  expect(after.slice(0, 2).map((piece, at) => piece === before[at])).toEqual([true, true]);
  expect(after[2]?.items).toHaveLength(2);
  expect(before[2]?.items).toHaveLength(1);
});

test("an item that was changed changes its own piece alone", () => {
  const items = lines(3 * SIZE);
  const before = pieces(items);
  const changed = items.map((item) => (item.number === SIZE ? { number: -1 } : item));
  expect(pieces(changed, before).map((piece, at) => piece === before[at])).toEqual([true, false, true]);
});

test("rows that share a key are told apart, however they are numbered", () => {
  for (const given of [[2, 2, "2 at 1", 3, 2], ["2", "2 at 2", "2"]]) expect(new Set(keysOf<string | number>(given, (one) => one)).size).toBe(given.length);
  expect(keysOf(["a", "b"], (one) => one)).toEqual(["a", "b"]);
});
