import { expect, test } from "vitest";
import de from "./de.json";
import en from "./en.json";
import { preferred, say } from "./say";

const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();

test.each(Object.entries({ de }))("%s has every word, with the same blanks as English", (_, words) => {
  expect(Object.keys(words).sort()).toEqual(Object.keys(en).sort());
  for (const [word, text] of Object.entries(words)) {
    expect([word, ...blanks(text)]).toEqual([word, ...blanks(en[word as keyof typeof en] ?? "")]);
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

test("a name that is written from right to left does not turn the sentence around", () => {
  expect(say("stage.to", { name: "ליאת" })).toBe("to \u2068ליאת\u2069");
  expect(say("stage.to", { name: "橘 🦊" })).toBe("to 橘 🦊");
});
