import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { longScene } from "../../bench/long";
import type { Schemas } from "../api/client";
import { fold, NOTHING_YET, type SceneEntry } from "./scene";

interface Recorded {
  entries: SceneEntry[];
  document: Schemas["SceneDocument"];
  spent: Record<string, { tokens: number; usd: number | null }>;
}

const FOLDER = new URL("./recorded/", import.meta.url);
const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
const logs = files.map((file) => ({
  file,
  ...(JSON.parse(readFileSync(new URL(file, FOLDER), "utf-8")) as Recorded),
}));

test("one of the logs has cards that are called as the director and its questions, and each has spent something else", () => {
  const { spent } = logs.find(({ file }) => file === "named.json") as (typeof logs)[number];
  expect(Object.keys(spent).sort()).toEqual(["", "director", "event", "judge"]);
  expect(new Set(Object.values(spent).map(({ tokens }) => tokens)).size).toBe(4);
});

describe.each(logs)("the log $file", ({ entries, document, spent }) => {
  const view = fold(entries);

  test("has the lines that the server's fold has", () => {
    expect(view.lines).toEqual(document.lines);
  });

  test("has the server's cast, goals and evidence", () => {
    expect(view.cast).toEqual(document.cast);
    const met = new Map(view.met.map((evidence) => [evidence.goal, evidence]));
    expect(view.goals.map((goal) => ({ goal, evidence: met.get(goal.id) ?? null }))).toEqual(document.goals);
  });

  test("ends as the server says, after as many beats, at the same cost", () => {
    const { metadata } = document;
    expect(view.ended?.goal_achieved ?? false).toBe(metadata.goalAchieved);
    expect(view.ended?.reason).toBe(metadata.reason);
    expect(view.beat).toBe(metadata.totalBeats);
    const tokens = Object.values(view.spent).reduce((sum, one) => sum + one.tokens, 0);
    expect(tokens).toBe(metadata.costs.totalTokens);
    expect(view.spent).toEqual(spent);
  });

  test("gives the same scene whether it comes at once, in pieces or entry by entry", () => {
    for (const size of [1, 7]) {
      let pieced = NOTHING_YET;
      for (let at = 0; at < entries.length; at += size) pieced = fold(entries.slice(at, at + size), pieced);
      expect(pieced).toEqual(view);
    }
  });
});

describe("a scene of 1,000 lines", () => {
  const log = longScene(logs.find(({ file }) => file === "played.json")?.entries ?? [], 1_000);
  const view = fold(log);

  test("has them all, in their order, and still plays", () => {
    expect(view.lines.map((line) => line.number)).toEqual(Array.from({ length: 1_000 }, (_, at) => at + 1));
    expect(view.ended).toBeNull();
    expect(view.beat).toBeGreaterThan(500);
  });

  test("leaves everything but its lines the same object when one more is spoken, and changes nothing of what was", () => {
    const line = { ...view.lines[0]!, number: 1_001 };
    const before = view.lines;
    const more = fold([{ seq: log.length + 1, at: 0, event: { type: "line.spoken", line } } as SceneEntry], view);
    expect(more.lines).toHaveLength(1_001);
    expect(before).toHaveLength(1_000);
    for (const key of ["cast", "goals", "met", "unsaid", "notes", "spent", "progress"] as const) expect(more[key]).toBe(view[key]);
  });
});
