import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fold as foldEnsemble, NOT_ASKED, type EnsembleEntry } from "./ensemble";
import { counted, ENSEMBLE_KINDS, isNewer, NONE_NEWER, SCENE_KINDS } from "./newer";
import { upTo } from "./replay";
import { fold as foldScene, NOTHING_YET, type SceneEntry } from "./scene";
import { foldSeat, NOT_SEATED, type SeatEntry } from "./seat";
import { begun, fold as foldSession, type SessionView, type StreamEvent } from "./session";
import { afterShown, newTurn } from "./turn";

function recorded<T>(folder: string): T[] {
  const place = new URL(folder, import.meta.url);
  const files = readdirSync(place).filter((file) => file.endsWith(".json"));
  return files.map((file) => JSON.parse(readFileSync(new URL(file, place), "utf-8")) as T);
}

/** The kinds of a newer dramaturg: one that is new, two that look like something else, and a known one with fields that the server could not read. */
const STRANGE = [
  { type: "line.sung", unknown: true, body: { melody: "la" } },
  { type: "constructor" },
  { type: "__proto__" },
  { type: "line.spoken", unknown: true, body: { line: {}, encore: true } },
  { type: "slot.done", unknown: true, body: {} },
];

/** A log with one of each after every entry. */
function withStrange<E extends { seq: number; at: number; event: object }>(entries: readonly E[]): E[] {
  return entries.flatMap((entry) => [entry, ...STRANGE.map((event) => ({ ...entry, event }) as unknown as E)]);
}

const eachOf = (count: number) => new Map(STRANGE.map(({ type }) => [type, count]));

describe("entries of a newer dramaturg", () => {
  test.each(recorded<{ entries: SceneEntry[] }>("./recorded/"))("leave a scene what it is, and are counted", ({ entries }) => {
    const view = foldScene(withStrange(entries));
    expect(view).toEqual({ ...foldScene(entries), newer: eachOf(entries.length) });
    for (let beats = 1; beats <= view.beat; beats += 1) {
      expect(foldScene(upTo(withStrange(entries), beats)).lines).toEqual(foldScene(upTo(entries, beats)).lines);
    }
  });

  test("are all that a scene of them alone has", () => {
    const entries = STRANGE.map((event, at) => ({ seq: at + 1, at: 0, event }) as unknown as SceneEntry);
    expect(foldScene(entries)).toEqual({ ...NOTHING_YET, newer: eachOf(1), last: STRANGE.length });
  });

  test.each(recorded<{ entries: EnsembleEntry[] }>("./recorded/ensembles/"))("leave an ensemble what it is, and are counted", ({ entries }) => {
    expect(foldEnsemble(withStrange(entries))).toEqual({ ...foldEnsemble(entries), newer: eachOf(entries.length) });
    expect(foldEnsemble([], NOT_ASKED).newer.size).toBe(0);
  });

  test.each(recorded<{ opened: SessionView; turns: { events: StreamEvent[] }[] }>("./recorded/sessions/"))("leave a talk what it is, and are counted", ({ opened, turns }) => {
    const events = turns.flatMap((turn) => turn.events);
    const strange = events.flatMap((event) => [event, { id: event.id, type: "gesture" } as unknown as StreamEvent]);
    const { newer, ...rest } = foldSession(strange, begun(opened));
    expect({ ...rest, newer: NONE_NEWER }).toEqual(foldSession(events, begun(opened)));
    expect([...newer.keys()]).toEqual(["gesture"]);
  });

  test("leave a seat what it is, and are counted", () => {
    const cue: SeatEntry = { type: "seat.cue", seq: 1, beat: 2, note: "" };
    const strange = { type: "seat.costume", seq: 2, colour: "red" } as unknown as SeatEntry;
    expect(foldSeat([cue, strange, strange])).toEqual({ ...NOT_SEATED, cue, newer: new Map([["seat.costume", 2]]) });
  });

  test("leave a turn with the Foreman what it is, and are counted", () => {
    const asked = newTurn("Who is Ida?");
    const said = afterShown(asked, { event: "message.delta", turn: 3, text: "The sister." });
    const view = afterShown(said, { event: "drawing.made", turn: 3, text: "A house." });
    expect(view).toEqual({ ...said, newer: new Map([["drawing.made", 1]]) });
    expect(afterShown(said, { event: "prompt.sent", turn: 3 })).toEqual(said);
  });
});

test("what is known is not newer, and the name of a method is no kind", () => {
  expect(Object.keys(SCENE_KINDS).some((type) => isNewer({ type }, SCENE_KINDS))).toBe(false);
  expect(isNewer({ type: "toString" }, ENSEMBLE_KINDS)).toBe(true);
  expect([...counted(counted(NONE_NEWER, "a"), "a")]).toEqual([["a", 2]]);
});
