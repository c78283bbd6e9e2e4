import { expect, test } from "vitest";
import { draftOf, emptyDraft, emptyPart, over, peopleIn, sceneOf } from "./draft";

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

test("the fields of a sheet and of the limits are sent as they were, and what belongs to a person goes with the person", () => {
  const sent = {
    name: "stairs",
    prompt: "They meet.",
    characters: ["alice", "bob"],
    maxBeats: 14,
    initialSpeaker: "bob",
    budget: { tokens: 9000, usd: 0.5 },
    parts: { bob: { playedBy: "person", wait: false, else: "model" }, alice: { enters: 2, leaves: 6, lorebooks: ["sea"] } },
  };
  const draft = draftOf(sent as unknown as Parameters<typeof draftOf>[0]);
  expect(sceneOf(draft)).toEqual(sent);
  draft.parts.bob!.person = false;
  draft.cast = ["alice", "carl"];
  expect(sceneOf(draft)).toEqual({ name: "stairs", prompt: "They meet.", characters: ["alice", "carl"], maxBeats: 14, budget: sent.budget, parts: { alice: sent.parts.alice } });
  expect(sceneOf({ ...draft, cast: ["alice", "bob"] })).not.toHaveProperty("parts.bob");
});

test("a sheet is found whatever letters its name is written in, and everybody of the cast has one", () => {
  const read = { name: "stairs", prompt: "They meet.", characters: ["alice", "bob"], initialSpeaker: "BOB", parts: { Bob: { note: "Late." } } };
  const draft = draftOf(read as unknown as Parameters<typeof draftOf>[0]);
  expect([draft.parts.bob?.note, draft.parts.alice, draft.opener]).toEqual(["Late.", emptyPart(), "bob"]);
});

test("what is typed stands over a file that has changed, and what the form does not show is the file's", () => {
  const mine = { ...emptyDraft(), prompt: "Mine.", more: { seed: 1 }, parts: { bob: { ...emptyPart(), note: "Mine.", more: { lorebooks: ["old"] } } } };
  const now = { ...emptyDraft(), prompt: "Theirs.", more: { seed: 2 }, parts: { bob: { ...emptyPart(), more: { lorebooks: ["new"] } } } };
  expect(over(mine, now)).toMatchObject({ prompt: "Mine.", more: { seed: 2 }, parts: { bob: { note: "Mine.", more: { lorebooks: ["new"] } } } });
});
