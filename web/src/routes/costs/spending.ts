/** What several pages of runs have paid for, together. */
import type { Schemas } from "../../api/client";

export type Spending = Schemas["Spending"];
type Cost = Schemas["CostRow"];
type Spent = Spending["runs"][number];

export const WAYS = ["runs", "characters", "purposes", "models", "days"] as const;

/** The sum of two; unknown where the price of one is. */
function sum(one: Cost, other: Cost): Cost {
  const inputTokens = one.inputTokens + other.inputTokens;
  const cachedTokens = one.cachedTokens + other.cachedTokens;
  return {
    ...one,
    calls: one.calls + other.calls,
    inputTokens,
    cachedTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    usd: one.usd === null || other.usd === null ? null : one.usd + other.usd,
    estimated: one.estimated || other.estimated,
    cachedShare: inputTokens ? cachedTokens / inputTokens : 0,
  };
}

const price = ({ cost }: Spent) => [cost.usd ?? 0, cost.inputTokens + cost.outputTokens] as const;
function dearer(one: Spent, other: Spent): number {
  const [usd, tokens] = price(one);
  const [otherUsd, otherTokens] = price(other);
  return otherUsd - usd || otherTokens - tokens;
}

function rows(newer: readonly Spent[], older: readonly Spent[]): Spent[] {
  const found = new Map<string, Spent>();
  for (const row of [...newer, ...older]) {
    const key = row.run || row.name;
    const before = found.get(key);
    found.set(key, before ? { ...before, cost: sum(before.cost, row.cost) } : row);
  }
  return [...found.values()];
}

/** Two pages as one: the dearest first, days in order. `next` is where those begin that neither has. */
export function together(newer: Spending, older: Spending): Spending {
  const all = (way: (typeof WAYS)[number]) => rows(newer[way], older[way]).sort(dearer);
  return {
    counted: newer.counted + older.counted,
    total: sum(newer.total, older.total),
    runs: all("runs"),
    characters: all("characters"),
    purposes: all("purposes"),
    models: all("models"),
    days: all("days").sort((one, other) => (one.name < other.name ? -1 : 1)),
    next: older.next ?? null,
  };
}
