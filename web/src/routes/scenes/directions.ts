/** What an author can ask of a scene while it is played, and which blanks each needs. */
import type { Schemas } from "../../api/client";

export const ASKS = ["event", "note", "next", "enter", "exit", "mute", "unmute", "goal", "more", "end"] as const;
export type Ask = (typeof ASKS)[number];

export interface Blanks {
  readonly text: string;
  readonly who: string;
  readonly beats: number;
}

export const needsWords = (ask: Ask): ask is "event" | "note" | "goal" => ask === "event" || ask === "note" || ask === "goal";
export const needsSomebody = (ask: Ask): boolean => ["next", "enter", "exit", "mute", "unmute"].includes(ask);

export function directionOf(ask: Ask, { text, who, beats }: Blanks): Record<string, unknown> {
  if (ask === "note") return { do: ask, to: who, text };
  if (ask === "event" || ask === "goal") return { do: ask, text };
  if (ask === "more") return { do: ask, beats };
  return needsSomebody(ask) ? { do: ask, who } : { do: ask };
}

/** A direction in a few words, for the list of what was asked. */
export function inShort(direction: Schemas["DirectionTaken"]["direction"]): string {
  const said = direction as { do?: string; text?: string; who?: string; to?: string; beats?: number };
  return [said.who, said.to, said.text, said.beats].filter((part) => part !== undefined && part !== "").join(": ");
}
