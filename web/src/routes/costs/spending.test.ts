import { expect, test } from "vitest";
import { together, type Spending } from "./spending";

const cost = (calls: number, inputTokens: number, usd: number | null, cachedTokens = 0) => ({ who: "", calls, inputTokens, cachedTokens, outputTokens: 0, usd, estimated: false, cachedShare: 0 });
const spent = (name: string, calls: number, input: number, usd: number | null, cached = 0) => ({ name, run: "", kind: "", cost: cost(calls, input, usd, cached) });
const page = (more: Partial<Spending>): Spending => ({ counted: 1, total: cost(1, 100, 1), runs: [], characters: [], purposes: [], models: [], days: [], next: null, ...more });

test("pages are added up by name, the dearest first, and days stay in order", () => {
  const newer = page({ models: [spent("a", 2, 100, 1, 50), spent("b", 1, 10, 0.5)], days: [spent("2026-03-02", 3, 110, 1.5)], next: "r2" });
  const older = page({ models: [spent("b", 4, 10, 2)], days: [spent("2026-03-01", 4, 10, 2)] });
  const both = together(newer, older);
  expect(both.models.map(({ name, cost: { calls, usd } }) => [name, calls, usd])).toEqual([["b", 5, 2.5], ["a", 2, 1]]);
  expect(both.days.map(({ name }) => name)).toEqual(["2026-03-01", "2026-03-02"]);
  expect([both.counted, both.total.calls, both.next]).toEqual([2, 2, null]);
});

test("an unknown price makes the sum unknown, and the cached share is that of all", () => {
  const both = together(page({ total: cost(1, 100, null, 100) }), page({ total: cost(1, 300, 1) }));
  expect([both.total.usd, both.total.cachedShare]).toEqual([null, 0.25]);
});
