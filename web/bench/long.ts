/** A long scene to measure with: the beats of a recorded one, played again and again under new numbers. */
import type { SceneEntry } from "../src/folds/scene";

/** The log of a scene that has so many lines and still plays. */
export function longScene(recorded: readonly SceneEntry[], lines: number): SceneEntry[] {
  const first = recorded.findIndex(({ event }) => event.type === "cue.given");
  const round = recorded.slice(first).filter(({ event }) => event.type !== "scene.ended");
  const beats = 1 + Math.max(...round.map(({ event }) => ("beat" in event && typeof event.beat === "number" ? event.beat : 0)));
  const spoken = round.filter(({ event }) => event.type === "line.spoken").length;
  const log = recorded.slice(0, first);
  for (let turn = 0, count = 0; ; turn++) {
    for (const entry of round) {
      if (entry.event.type === "line.spoken" && count++ === lines) return log;
      log.push(shifted(entry, log.length + 1, turn * beats, turn * spoken));
    }
  }
}

function shifted({ at, event }: SceneEntry, seq: number, beats: number, lines: number): SceneEntry {
  const moved = { ...event } as Record<string, unknown>;
  if (typeof moved.beat === "number") moved.beat += beats;
  if (typeof moved.number === "number") moved.number += lines;
  if (event.type === "line.spoken") moved.line = { ...event.line, number: event.line.number + lines, beat: event.line.beat + beats };
  return { seq, at, event: moved as unknown as SceneEntry["event"] };
}
