/** One turn of the conversation with the Foreman: a pure fold over what the writer is shown. */
import type { Schemas } from "../api/client";
import { counted, NONE_NEWER, type Newer } from "./newer";

/** An event of a turn; which fields it has depends on `event`. */
export interface Shown {
  readonly event: string;
  readonly turn: number;
  readonly text?: string;
  readonly thinking?: string;
  readonly said?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly quote?: string;
  readonly before?: string;
  readonly after?: string;
  readonly blindSpots?: number;
}

export interface TurnView {
  readonly turn: number;
  /** The writer's own words. */
  readonly asked: string;
  readonly message: string;
  readonly thinking: string;
  readonly done: readonly string[];
  readonly refused: readonly string[];
  readonly offered: readonly string[];
  readonly doubted: readonly string[];
  readonly mode: string;
  readonly failed: string;
  readonly over: boolean;
  readonly newer: Newer;
}

export function newTurn(asked: string): TurnView {
  return { turn: 0, asked, message: "", thinking: "", done: [], refused: [], offered: [], doubted: [], mode: "", failed: "", over: false, newer: NONE_NEWER };
}

export function afterShown(view: TurnView, shown: Shown): TurnView {
  const at = { ...view, turn: shown.turn };
  const more = (list: readonly string[], ...words: (string | undefined)[]) => [...list, words.filter(Boolean).join(": ")];
  switch (shown.event) {
    case "message.delta":
      return { ...at, message: at.message + (shown.text ?? "") };
    case "message.done":
      return { ...at, message: shown.text ?? "", thinking: shown.thinking ?? "" };
    case "action.done":
    case "work.ended":
      return { ...at, done: more(at.done, shown.said) };
    case "action.refused":
      return { ...at, refused: more(at.refused, shown.reason) };
    case "action.offered":
      return { ...at, offered: more(at.offered, shown.said) };
    case "quote.doubted":
      return { ...at, doubted: more(at.doubted, shown.quote) };
    case "mode.changed":
      return { ...at, mode: shown.after ?? "" };
    case "failed":
      return { ...at, failed: shown.error ?? "" };
    case "done":
      return { ...at, over: true };
    case "prompt.sent":
      return at;
    default:
      return { ...at, newer: counted(at.newer, shown.event) };
  }
}

/** A turn that is over, as the server keeps it. */
export function keptTurn(kept: Schemas["ConsultationView"]): TurnView {
  const { turn, said, message, thinking, done, refused, offered, doubted, failed, ended } = kept;
  return { turn, asked: said, message, thinking: thinking.join("\n"), done, refused, offered, doubted, mode: "", failed: failed ?? "", over: ended, newer: NONE_NEWER };
}
