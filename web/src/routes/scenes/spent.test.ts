import { expect, test } from "vitest";
import type { SceneView } from "../../folds/scene";
import { spentRows, sumOf } from "./spent";

const cast = [{ name: "director", displayName: "Ines" }, { name: "bob", displayName: "Bob" }] as unknown as SceneView["cast"];

test("costs stand in the order of the cast, then of those who left, with the director last and apart from a card of that name", () => {
  const spent = { "": { tokens: 5, usd: 0.5 }, alice: { tokens: 3, usd: 0.25 }, bob: { tokens: 2, usd: 1 }, director: { tokens: 1, usd: 2 } };
  expect(spentRows({ cast, spent }).map(({ card, name, tokens }) => [card, name, tokens])).toEqual([
    ["director", "Ines", 1],
    ["bob", "Bob", 2],
    ["alice", "alice", 3],
    ["", "", 5],
  ]);
});

test("a sum with an unknown price is unknown, and never less than it is", () => {
  expect(sumOf([{ tokens: 2, usd: 1 }, { tokens: 3, usd: null }])).toEqual({ tokens: 5, usd: null });
  expect(sumOf([{ tokens: 2, usd: 1 }, { tokens: 3, usd: 0.5 }])).toEqual({ tokens: 5, usd: 1.5 });
});
