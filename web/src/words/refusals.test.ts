import { expect, test } from "vitest";
import german from "./refusals.de.json";
import { worded, type Refusal } from "./refusals";

const de = (refusal: Refusal, toPlayer = false) => worded(refusal, toPlayer, german);

test("where the reader reads English, the server's own words are told", () => {
  expect(worded({ code: "NOT_FOUND", message: "There is no episode 'tea'." })).toBe("There is no episode 'tea'.");
});

test("an author is told the reason in their language, and then what the server says", () => {
  const said = de({ code: "NOT_FOUND", message: "There is no character 'bob'.", context: { character: "bob" } });
  expect(said).toBe("Das gibt es hier nicht. Auf Englisch sagt der Server: There is no character 'bob'.");
});

test("a player is told a whole sentence, and nothing in English", () => {
  expect(de({ code: "NOT_FOUND", message: "There is no session 'x'." }, true)).toBe("Das gibt es hier nicht, oder es ist nicht für dich geöffnet.");
  expect(de({ code: "INVALID_CONFIG", message: "Too long.", context: { length: 30_000, limit: 8_000 } }, true)).toContain("höchstens 8");
});

test.each([
  [1, "1 Sekunde."],
  [12, "12 Sekunden."],
  [1500, "25 Minuten."],
])("a wait of %i seconds ends with %s", (retry_after, ending) => {
  expect(de({ code: "TOO_MANY_REQUESTS", message: "Wait.", context: { retry_after } })).toBe(`Mehr ist hier gerade nicht möglich. Weiter geht es in ${ending}`);
});

test("a code that only a newer server has keeps what the server says", () => {
  expect(de({ code: "RAINED_OFF", message: "It rains." })).toContain("It rains.");
});

test("every blank of a sentence can be filled", () => {
  const context = { length: 9, limit: 8, place: 3, retry_after: 5 };
  for (const key of Object.keys({ ...german.whole, ...german.player, ...german.reasons })) {
    const code = key.split(".")[0]!;
    for (const toPlayer of [true, false]) expect(de({ code, message: "m", context }, toPlayer)).not.toMatch(/[{}?]/);
  }
});
