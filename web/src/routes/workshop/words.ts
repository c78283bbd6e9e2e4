/** Words of the Foreman and of the book's files, as people read them. */
import { language } from "../../words/say";

export interface Part {
  readonly text: string;
  readonly strong: boolean;
}

/** A message with its `**strong**` words apart; everything else stays as it was written. */
export function emphasised(message: string): Part[] {
  return message
    .split(/\*\*([^*\n]+)\*\*/)
    .map((text, place) => ({ text, strong: place % 2 === 1 }))
    .filter(({ text }) => text);
}

type Values = Readonly<Record<"mode" | "page" | "strategy", Readonly<Record<string, string>>>>;

/** The server's own values are English words, which English needs no table for. */
const VALUES: Readonly<Record<string, () => Promise<{ readonly default: Values }>>> = {
  de: () => import("../../words/values.de.json"),
};
const values = (await VALUES[language]?.())?.default ?? null;

/** A mode of the book, a state of its pages or a strategy of a draft, in the reader's language. */
export function named(kind: keyof Values, value: string, table: Values | null = values): string {
  return table?.[kind][value] ?? spoken(value);
}

/** The name of a mode, a state or a field, without the marks of a program: `VOICE_CALIBRATION`, `arc_midpoint`. */
export function spoken(name: string): string {
  return name.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (word) => (word.length > 3 ? word.toLowerCase() : word)).replace(/(?<=\w)_(?=\w)/g, " ");
}
