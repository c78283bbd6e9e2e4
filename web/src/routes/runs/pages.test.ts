import { expect, test } from "vitest";
import type { RunSummary } from "../../api/client";
import { merged, pageOf, told } from "./pages";

test("a run of each kind leads to its page, and one of an unknown kind to none", () => {
  expect(pageOf({ kind: "scene", run: "1mk" })).toBe("/scenes/1mk");
  expect(pageOf({ kind: "ensemble", run: "1mk" })).toBe("/ensemble/1mk");
  expect(pageOf({ kind: "health", run: "1mk" })).toBe("/workshop/health");
  expect(pageOf({ kind: "from-a-newer-version", run: "1mk" })).toBe("");
  expect(pageOf({ kind: "scene", run: "../x" })).toBe("/scenes/..%2Fx");
});

test("the newest page is read again: new runs come, others change or go, and what is older stays", () => {
  const run = (id: string, status = "ended") => ({ run: id, status }) as RunSummary;
  const shown = { runs: [run("3", "playing"), run("2"), run("1")], next: "1" };
  expect(merged(shown, { runs: [run("4", "playing"), run("3")], next: "3" })).toEqual({ runs: [run("4", "playing"), run("3"), run("2"), run("1")], next: "1" });
  expect(merged(shown, { runs: [run("3"), run("1")], next: "1" })).toEqual({ runs: [run("3"), run("1")], next: "1" });
  expect(merged(shown, { runs: [], next: null })).toEqual({ runs: [], next: null });
});

test("what was done with a run shows in the list, on whichever page it stands", () => {
  const shown = { runs: [{ run: "2", status: "playing" }, { run: "1", status: "failed" }] as RunSummary[], next: null };
  expect(told(shown, { run: "1", status: "playing" }).runs.map(({ status }) => status)).toEqual(["playing", "playing"]);
  expect(told(shown, { run: "1" })).toBe(shown);
});
