import { expect, test } from "vitest";
import { pageOf } from "./pages";

test("a run of each kind leads to its page, and one of an unknown kind to none", () => {
  expect(pageOf({ kind: "scene", run: "1mk" })).toBe("/scenes/1mk");
  expect(pageOf({ kind: "ensemble", run: "1mk" })).toBe("/ensemble/1mk");
  expect(pageOf({ kind: "health", run: "1mk" })).toBe("/workshop/health");
  expect(pageOf({ kind: "from-a-newer-version", run: "1mk" })).toBe("");
  expect(pageOf({ kind: "scene", run: "../x" })).toBe("/scenes/..%2Fx");
});
