/** What a simulated player's session shows, in words. */
import type { Schemas } from "../../api/client";
import { say, type Word } from "../../words/say";

type Session = Schemas["RehearsedSession"];

export function trigger({ trigger: by }: Pick<Session, "trigger">): string {
  return by ? say(`trigger.${by}`) : "–";
}

export interface Shown {
  readonly what: string;
  readonly words: string;
}

/** The words that showed a beat, in the order in which the beats were reached. */
export function quotedBeats({ beats = {}, quotes = {} }: Pick<Session, "beats" | "quotes">): readonly Shown[] {
  const reached = Object.entries(beats).sort(([, one], [, other]) => one - other);
  return reached.flatMap(([beat, turn]) => (quotes[beat] ? [{ what: say("rehearse.beat", { beat: say(`episode.beat.${beat}` as Word), turn }), words: quotes[beat] }] : []));
}

export const COMPANY = "rehearsal";
export const PARTS = ["model", "director", "players"] as const;
/** The models of a rehearsal; an empty or missing name leaves it to the project. */
export interface RehearsalModels {
  readonly model?: string;
  readonly director?: string;
  readonly players: string;
}

/** What the server is asked for: only what was chosen. */
export function askedModels(chosen: RehearsalModels): Partial<RehearsalModels> {
  return Object.fromEntries(PARTS.flatMap((part) => (chosen[part] ? [[part, chosen[part]]] : [])));
}
