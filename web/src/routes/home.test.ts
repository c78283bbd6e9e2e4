import { expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { ownCost } from "./home";

const row = (inputTokens: number, outputTokens: number, usd: number | null) => ({ inputTokens, outputTokens, usd }) as Schemas["CostRow"];

test("a fork costs what it has paid for itself, and an unknown price stays unknown", () => {
  expect(ownCost({ total: row(100, 20, 1.5), shared: row(40, 10, 0.5) })).toEqual({ tokens: 70, usd: 1 });
  expect(ownCost({ total: row(100, 20, null), shared: row(0, 0, 0) })).toEqual({ tokens: 120, usd: null });
});
