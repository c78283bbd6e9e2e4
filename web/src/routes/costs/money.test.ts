import { expect, test } from "vitest";
import { money, noon } from "./money";

test("an unknown price is said to be unknown, and a small one is not rounded to nothing", () => {
  expect([money(null), money(0), money(0.0004), money(12.5)]).toEqual(["price unknown", "$0.00", "$0.0004", "$12.50"]);
});

test("a day is the same day in every time zone", () => {
  const days = ["2026-03-29", "2026-12-31"];
  expect(days.map((day) => new Date(1000 * noon(day)).toISOString().slice(0, 10))).toEqual(days);
});
