import { expect, test } from "vitest";
import { draftOf, emptyDraft, emptyPart, peopleIn, sceneOf } from "./draft";

test("an empty form sends nothing that was not filled in", () => {
  expect(sceneOf(emptyDraft())).toEqual({ name: "untitled", prompt: "", characters: [], maxBeats: 20 });
});

test("secrets are one on each line, and the sheet of somebody who left the cast is not sent", () => {
  const draft = {
    ...emptyDraft(),
    name: "stairs",
    cast: ["alice", "bob"],
    parts: {
      alice: { ...emptyPart(), secrets: " He knows. \n\n She does not. " },
      bob: { ...emptyPart(), person: true },
      carl: { ...emptyPart(), note: "Late." },
    },
    events: [
      { beat: 2, text: "The lights go out." },
      { beat: 3, text: "  " },
    ],
  };
  expect(sceneOf(draft)).toMatchObject({
    parts: { alice: { secrets: ["He knows.", "She does not."] }, bob: { playedBy: "person", wait: true } },
    events: [{ beat: 2, text: "The lights go out." }],
  });
  expect(peopleIn(draft)).toEqual(["bob"]);
});

test("a scene that is opened to be changed is sent as it was, with what the form does not show", () => {
  const sent = {
    name: "the-apology",
    prompt: "They meet.",
    characters: ["alice", "bob"],
    maxBeats: 14,
    setting: "A kitchen",
    goal: "Bob says sorry.",
    events: [{ beat: 1, text: "The kettle boils." }],
    parts: { bob: { note: "He is late.", secrets: ["He has the key."], enters: 2 } },
    language: "French",
    lines: [{ at: "the door", say: ["Bob: Sorry."] }],
  };
  expect(sceneOf(draftOf(sent as unknown as Parameters<typeof draftOf>[0]))).toEqual(sent);
});
