import { expect, test } from "vitest";
import { ASKS, directionOf, inShort, needsSomebody, needsWords } from "./directions";

const blanks = { text: "The lights go out.", who: "bob", beats: 3 };

test("each direction has the blanks that it needs, and no others", () => {
  const sent = Object.fromEntries(ASKS.map((ask) => [ask, Object.keys(directionOf(ask, blanks)).sort()]));
  expect(sent.event).toEqual(["do", "text"]);
  expect(sent.note).toEqual(["do", "text", "to"]);
  expect(sent.more).toEqual(["beats", "do"]);
  expect(sent.end).toEqual(["do"]);
  for (const ask of ASKS.filter(needsSomebody)) expect(sent[ask]).toEqual(["do", "who"]);
  for (const ask of ASKS.filter(needsWords)) expect(sent[ask]).toContain("text");
});

test("a direction is told in a few words", () => {
  expect(inShort({ do: "event", text: "Rain." })).toBe("Rain.");
  expect(inShort({ do: "note", to: "bob", text: "Louder." })).toBe("bob: Louder.");
  expect(inShort({ do: "pause" })).toBe("");
});
