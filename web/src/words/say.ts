/** The words of the interface, in the reader's language. Every language has every word; a test holds them to it. */
import de from "./de.json";
import en from "./en.json";

export type Word = keyof typeof en;
type Words = Readonly<Record<Word, string>>;

export const LANGUAGES: Readonly<Record<string, Words>> = { en, de };

export const language: string = preferred(typeof navigator === "undefined" ? [] : navigator.languages);
const words: Words = LANGUAGES[language] ?? en;

export function preferred(wanted: readonly string[]): string {
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in LANGUAGES) ?? "en";
}

/** A sentence with its names filled in: `say("stage.to", { name: "Bob" })`. */
export function say(word: Word, filled: Readonly<Record<string, string | number>> = {}): string {
  return words[word].replace(/\{(\w+)\}/g, (whole, name: string) => String(filled[name] ?? whole));
}

export function number(value: number): string {
  return value.toLocaleString(language);
}

export function time(seconds: number): string {
  return new Date(1000 * seconds).toLocaleString(language, { dateStyle: "short", timeStyle: "short" });
}
