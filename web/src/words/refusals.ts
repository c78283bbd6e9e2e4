/** Why the server refused, in the reader's language. The server itself speaks English, so English needs no table. */
import { language, number } from "./say";

export interface Refusals {
  readonly language: string;
  /** A reason with what the server says, in English, behind it. */
  readonly detail: string;
  readonly unknown: string;
  /** By code, what went wrong in general: the server's own words are told too. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What leaves nothing to add. `CODE.key` is for an error whose context has that key. */
  readonly whole: Readonly<Record<string, string>>;
  /** What a player is told instead, who can mend nothing. */
  readonly player: Readonly<Record<string, string>>;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly context?: Readonly<Record<string, unknown>>;
}

const TABLES: Readonly<Record<string, () => Promise<{ readonly default: Refusals }>>> = {
  de: () => import("./refusals.de.json"),
};

const table = (await TABLES[language]?.())?.default ?? null;

/** The sentence for the page. A code that only a newer server has keeps the server's words. */
export function worded(refusal: Refusal, toPlayer = false, words: Refusals | null = table): string {
  if (words === null) return refusal.message;
  const { code, message, context = {} } = refusal;
  const keys = [...Object.keys(context).map((key) => `${code}.${key}`), code];
  const whole = (toPlayer ? words.player[code] : undefined) ?? keys.map((key) => words.whole[key]).find(Boolean);
  if (whole !== undefined) return filled(whole, { ...context, wait: waiting(Number(context.retry_after) || 1, words.language) });
  return filled(words.detail, { reason: words.reasons[code] ?? words.unknown, message });
}

function filled(sentence: string, context: Readonly<Record<string, unknown>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = context[name];
    return typeof value === "number" ? number(value) : String(value ?? "?");
  });
}

function waiting(seconds: number, language: string): string {
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), "minute"] : [seconds, "second"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
