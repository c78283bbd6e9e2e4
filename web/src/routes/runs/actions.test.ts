import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { actionsOf, PAUSE, RunActions, type RunServer } from "./actions.svelte";

const asked: string[] = [];
const server: RunServer = {
  stop: async (run) => (asked.push(`stop ${run}`), { status: "stopped" }),
  resume: async (run) => (asked.push(`resume ${run}`), { status: "playing" }),
  remove: async (run) => void asked.push(`remove ${run}`),
};
const run = (id: string, status = "ended", kind = "scene") => ({ run: id, kind, status }) as Parameters<RunActions["take"]>[1][number];

beforeEach(() => (vi.useFakeTimers(), asked.splice(0)));
afterEach(() => vi.useRealTimers());

test("a run offers what its state allows, and the Foreman's talk is neither resumed nor deleted from a list", () => {
  expect(actionsOf(run("1", "playing"))).toEqual(["stop"]);
  expect(actionsOf(run("1", "failed"))).toEqual(["resume", "delete"]);
  expect(actionsOf(run("1", "stopped"))).toEqual(["resume", "delete"]);
  expect(actionsOf(run("1"))).toEqual(["delete"]);
  expect(actionsOf(run("1", "stopped", "foreman"))).toEqual([]);
});

test("a deletion is sent only when its moment is over, and not if it was taken back", async () => {
  const actions = new RunActions(server);
  await actions.take("delete", [run("1"), run("2"), run("3", "playing")]);
  expect([...actions.leaving]).toEqual(["1", "2"]);
  await vi.advanceTimersByTimeAsync(PAUSE - 1);
  actions.undo(["2"]);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(asked).toEqual(["remove 1"]);
  expect([[...actions.leaving], [...actions.gone]]).toEqual([[], ["1"]]);
});

test("of several runs each is asked for what it can do, one after the other", async () => {
  const actions = new RunActions(server);
  const all = [run("1", "playing"), run("2", "stopped"), run("3"), run("4", "playing")];
  await actions.take("stop", all);
  expect(actions.last).toEqual({ run: "4", status: "stopped" });
  await actions.take("resume", all);
  expect(asked).toEqual(["stop 1", "stop 4", "resume 2"]);
  expect(actions.last).toEqual({ run: "2", status: "playing" });
});

test("what is refused is said of its run, which stays in the list, until it is tried again", async () => {
  let refuses = true;
  const actions = new RunActions({ ...server, remove: () => (refuses ? Promise.reject(new Error("It is being played.")) : Promise.resolve()) });
  await actions.take("delete", [run("1")]);
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect([actions.problems.get("1"), actions.gone.has("1"), actions.leaving.has("1")]).toEqual(["It is being played.", false, false]);
  refuses = false;
  await actions.take("delete", [run("1")]);
  expect(actions.problems.has("1")).toBe(false);
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(actions.gone.has("1")).toBe(true);
});
