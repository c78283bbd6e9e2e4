import { expect, test } from "vitest";
import { CHARACTERS, say as sayOfCharacters } from "./characters";
import { LANGUAGES, preferred, say } from "./say";

const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();

type Words = Readonly<Record<string, string>>;
const FILES = [LANGUAGES, CHARACTERS].flatMap((file: Readonly<Record<string, Words>>) => Object.entries(file).map(([name, words]) => [name, words, file.en ?? {}] as const));

test.each(FILES)("%s has every word, with the same blanks as English", (_, words, english) => {
  expect(Object.keys(words).sort()).toEqual(Object.keys(english).sort());
  for (const [word, text] of Object.entries(words)) {
    expect([word, ...blanks(text)]).toEqual([word, ...blanks(english[word] ?? "")]);
  }
});

test("a reader gets the first of their languages that the studio speaks", () => {
  expect(preferred(["fr-CA", "de-AT", "en"])).toBe("de");
  expect(preferred(["fr"])).toBe("en");
});

test("a name that a sentence asks for is filled in", () => {
  expect(say("stage.to", { name: "Bob" })).toBe("to Bob");
});

test("one of something is said in the singular, also as it is written", () => {
  expect([0, 1, 2].map((count) => say("play.turns", { count }))).toEqual(["0 turns", "1 turn", "2 turns"]);
  expect(say("stage.words", { count: "1" })).toBe("1 word");
  expect(say("takes.playing", { count: 1 })).toBe("1 still playing");
});

test("a word that only a newer server has is shown as it is", () => {
  expect(say("status.rained-off" as Parameters<typeof say>[0])).toBe("rained-off");
});

test("pages with words of their own say the common ones too", () => {
  expect(sayOfCharacters("lore.entries", { count: 1 })).toBe("1 entry");
  expect(sayOfCharacters("stage.to", { name: "Bob" })).toBe("to Bob");
});
