/** Entries that a newer dramaturg wrote: they are counted, and everything else is shown. */
import type { Schemas } from "../api/client";

/** How many there are, by kind. */
export type Newer = ReadonlyMap<string, number>;
export const NONE_NEWER: Newer = new Map();

export function counted(newer: Newer, kind: string): Newer {
  return new Map(newer).set(kind, (newer.get(kind) ?? 0) + 1);
}

/** All kinds of a log. The compiler holds each list to the server's schema. */
type Kinds<E extends { readonly event: { readonly type: string } }> = Readonly<Record<E["event"]["type"], true>>;

/**
 * Whether this studio cannot read an event. The server marks what it does not know itself, even a known kind with new
 * fields; a tab that is older than its server meets kinds that are not in its list.
 */
export function isNewer(event: { readonly type: string; readonly unknown?: unknown }, kinds: Readonly<Record<string, true>>): boolean {
  return event.unknown === true || !Object.hasOwn(kinds, event.type);
}

const RUN = {
  "model.answered": true,
  "run.forked": true,
  "run.stopped": true,
  "run.adopted": true,
  "run.released": true,
  "run.paused": true,
  "budget.raised": true,
} as const;

export const SCENE_KINDS: Kinds<Schemas["SceneEntry"]> = {
  ...RUN,
  "scene.opened": true,
  "scene.forked": true,
  "scene.reopened": true,
  "scene.ended": true,
  "card.read": true,
  "sheet.read": true,
  "lines.read": true,
  "books.read": true,
  "lore.told": true,
  "memory.recalled": true,
  "memories.supplied": true,
  "cue.given": true,
  "turn.given": true,
  "response.given": true,
  "line.planned": true,
  "line.weighed": true,
  "line.glossed": true,
  "line.spoken": true,
  "line.cut": true,
  "line.unsaid": true,
  "line.held": true,
  "line.edited": true,
  "line.struck": true,
  "cut.missed": true,
  "take.added": true,
  "take.chosen": true,
  "leak.suspected": true,
  "correction.measured": true,
  "circling.found": true,
  "character.failed": true,
  "character.left": true,
  "character.returned": true,
  "beat.played": true,
  "beat.closed": true,
  "note.given": true,
  "verdict.reached": true,
  "direction.taken": true,
  "goal.changed": true,
  "seat.taken": true,
  "seat.answered": true,
  "seat.left": true,
  "answers.set_aside": true,
};

export const ENSEMBLE_KINDS: Kinds<Schemas["EnsembleEntry"]> = {
  ...RUN,
  "ensemble.opened": true,
  "ensemble.begun": true,
  "session.question": true,
  "session.queued": true,
  "session.manifest": true,
  "house.read": true,
  "persona.read": true,
  "books.read": true,
  "lore.told": true,
  "question.heard": true,
  "thread.carried": true,
  remark: true,
  "voices.cast": true,
  "cue.given": true,
  "turn.start": true,
  "turn.done": true,
  "turn.skipped": true,
  "turn.audio": true,
  "slot.start": true,
  "slot.done": true,
  "slot.audio": true,
  "slot.unspoken": true,
  "slot.error": true,
  "route.done": true,
  "voicing.asked": true,
  "voicing.done": true,
  done: true,
};
