import { expect, test } from "vitest";
import { askedModels, quotedBeats, trigger } from "./rehearsed";

test("beats are quoted in the order in which they were reached, and those without words are left out", () => {
  const beats = { pivot: 6, complication: 2, escalation: 4 };
  expect(quotedBeats({ beats, quotes: { pivot: "I know.", complication: "Who are you?" } })).toEqual([
    { what: "complication, turn 2", words: "Who are you?" },
    { what: "pivot, turn 6", words: "I know." },
  ]);
});

test("a session without an end says so", () => {
  expect([trigger({ trigger: null }), trigger({ trigger: "turn_limit" })]).toEqual(["–", "the last turn"]);
});

test("a model that was not chosen is left to the project", () => {
  expect(askedModels({ model: "", players: "rehearsal" })).toEqual({ players: "rehearsal" });
  expect(askedModels({ model: "local/a", director: "rehearsal", players: "local/b" })).toEqual({ model: "local/a", director: "rehearsal", players: "local/b" });
});
