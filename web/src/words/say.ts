/** The words of the interface, in the reader's language. Every language has every word; a test holds them to it. */
import type en from "./en.json";

export type Word = keyof typeof en;
type Words = Readonly<Record<Word, string>>;

/** A reader loads the words of one language. */
const LANGUAGES: Readonly<Record<string, () => Promise<{ readonly default: Words }>>> = {
  en: () => import("./en.json"),
  de: () => import("./de.json"),
};

export const language: string = preferred(typeof navigator === "undefined" ? [] : navigator.languages);
const { default: words } = await (LANGUAGES[language] ?? LANGUAGES.en!)();
/** Numbers and dates as the reader's country writes them, in the language of the page. */
const country: string = (typeof navigator === "undefined" ? [] : navigator.languages).find((tag) => tag.slice(0, 2).toLowerCase() === language) ?? language;

export function preferred(wanted: readonly string[]): string {
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in LANGUAGES) ?? "en";
}

/**
 * A sentence with its names filled in: `say("stage.to", { name: "Bob" })`. A `count` of one takes the words that end with `.one`, if there are any.
 * What only a newer server says is shown as it is.
 */
export function say(word: Word, filled: Readonly<Record<string, string | number>> = {}): string {
  const all: Readonly<Record<string, string | undefined>> = words;
  const one = String(filled.count) === "1" ? all[`${word}.one`] : undefined;
  const found = one ?? all[word] ?? word.slice(word.indexOf(".") + 1);
  return found.replace(/\{(\w+)\}/g, (whole, name: string) => isolated(String(filled[name] ?? whole)));
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** A name that is written from right to left, kept from turning the sentence around it. */
function isolated(value: string): string {
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
}

export function number(value: number): string {
  return value.toLocaleString(country);
}

export function time(seconds: number): string {
  return new Date(1000 * seconds).toLocaleString(country, { dateStyle: "short", timeStyle: "short" });
}
