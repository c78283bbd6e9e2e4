/** What the person in a seat has heard, and whether it is their turn. */
import type { Schemas } from "../api/client";
import { counted, NONE_NEWER, type Newer } from "./newer";

export type SeatEntry = Schemas["SeatEntry"] & { readonly seq: number };

export interface Heard {
  readonly seq: number;
  readonly kind: Schemas["SeatHeard"]["kind"];
  readonly speaker: string;
  /** How it was said: tone, target, what was cut. */
  readonly manner: string;
  readonly words: string;
  /** Whether it is still being said. */
  readonly open: boolean;
}

export interface SeatView {
  readonly briefing: Schemas["SeatBriefing"] | null;
  readonly heard: readonly Heard[];
  readonly cue: Schemas["SeatCue"] | null;
  readonly ended: Schemas["SeatSceneEnded"] | null;
  readonly newer: Newer;
}

export const NOT_SEATED: SeatView = { briefing: null, heard: [], cue: null, ended: null, newer: NONE_NEWER };

export function foldSeat(entries: Iterable<SeatEntry>, from: SeatView = NOT_SEATED): SeatView {
  let view = from;
  const heard = [...from.heard];
  for (const event of entries) {
    if (event.type === "seat.heard") {
      const one = heardIn(event);
      const last = heard.at(-1);
      // The rest of a line that was still being spoken follows in a second part.
      if (last?.open && last.speaker === one.speaker) heard.splice(-1, 1, { ...last, open: one.open, words: `${last.words} ${one.words}` });
      else heard.push(one);
    } else view = after(view, event);
  }
  return { ...view, heard };
}

function after(view: SeatView, event: Exclude<SeatEntry, Schemas["SeatHeard"]>): SeatView {
  const kind: string = event.type;
  switch (event.type) {
    case "seat.briefing":
      return { ...view, briefing: event };
    case "seat.cue":
      return { ...view, cue: event };
    case "seat.answer_taken":
    case "seat.turn_ended":
      return { ...view, cue: null };
    case "seat.scene_ended":
      return { ...view, cue: null, ended: event };
    default:
      event satisfies never;
      return { ...view, newer: counted(view.newer, kind) };
  }
}

const SPOKEN = /^(?:goes on:|\[([^\]]*)\])?\s*"?([\s\S]*?)"?(?: \(still speaking\))?$/;
const HAPPENED = /^\[(?:EVENT|STAGE|SYSTEM): ([\s\S]*)\]$/;

/** A line as the transcript prints it (`Bob [TONE: dry] "So."`), in its parts. */
function heardIn({ seq, kind, speaker, text, stillSpeaking: open }: Schemas["SeatHeard"] & { seq: number }): Heard {
  if (kind !== "line") return { seq, kind, speaker, manner: "", words: HAPPENED.exec(text)?.[1] ?? text, open };
  const rest = text.startsWith(speaker) ? text.slice(speaker.length).trim() : text;
  const [, manner = "", words = rest] = SPOKEN.exec(rest) ?? [];
  return { seq, kind, speaker, manner: manner.replace(/\b[A-Z]{2,}\b/g, (tag) => tag.toLowerCase()), words, open };
}
