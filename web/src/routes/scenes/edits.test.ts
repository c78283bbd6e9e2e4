import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { draftOf, emptyPart, sceneOf, type SceneDraft } from "./draft";
import { differences, sceneText, unseenKeys } from "./edits";

const QUIET = `# A quiet one.
prompt: >
  Bob is late,
  and Alice has waited.
characters: [alice, bob] # nobody else
max_beats: 6
goal:
  - Bob says sorry # at last
  - Alice forgives him
events:
  - beat: 1 # at once
    text: The kettle boils.
  # when it is dark
  - {beat: 2, text: It rains.}
  - beat: 4
    text: The lights go out.
parts:
  Bob: # late
    played_by: person
    secrets: [He has the key.]
    lorebooks: [the-sea]
seed: 7 # another number, another scene
`;
const SCENE = {
  name: "quiet",
  prompt: "Bob is late, and Alice has waited.\n",
  characters: ["alice", "bob"],
  maxBeats: 6,
  goal: "- Bob says sorry\n- Alice forgives him",
  events: [{ beat: 1, text: "The kettle boils." }, { beat: 2, text: "It rains." }, { beat: 4, text: "The lights go out." }],
  parts: { Bob: { note: "", secrets: ["He has the key."], enters: 0, leaves: null, playedBy: "person", lorebooks: ["the-sea"] } },
  seed: 7,
  language: null,
};
const read = () => draftOf(SCENE as unknown as Parameters<typeof draftOf>[0]);

function after(change: (draft: SceneDraft) => void, text = QUIET, isJson = false): string {
  const draft = read();
  change(draft);
  return sceneText(text, sceneOf(read()), sceneOf(draft), isJson);
}

test("a scene that was only opened is the same file", () => {
  expect(after(() => {})).toBe(QUIET);
});

test.each<[string, (draft: SceneDraft) => void, string]>([
  ["the beats, as the file spells them", (draft) => (draft.maxBeats = 9), QUIET.replace("max_beats: 6", "max_beats: 9")],
  ["the cast, with the remark behind it", (draft) => draft.cast.push("carl"), QUIET.replace("[alice, bob]", "[alice, bob, carl]")],
  ["a sub-goal of a list", (draft) => (draft.goal = draft.goal.replace("forgives him", "goes")), QUIET.replace("forgives him", "goes")],
  ["an event", (draft) => (draft.events[0]!.beat = 3), QUIET.replace("beat: 1 #", "beat: 3 #")],
  ["an event that goes", (draft) => draft.events.splice(2, 1), QUIET.replace("  - beat: 4\n    text: The lights go out.\n", "")],
  ["an event that comes", (draft) => draft.events.push({ beat: 5, text: "Morning." }), QUIET.replace("go out.\n", "go out.\n  - beat: 5\n    text: Morning.\n")],
  ["a secret", (draft) => (draft.parts.bob!.secrets += "\nHe lost it."), QUIET.replace("[He has the key.]", "[He has the key., He lost it.]")],
  ["a note, under the name in the file", (draft) => (draft.parts.bob!.note = "Hurry."), QUIET.replace("[the-sea]\n", "[the-sea]\n    note: Hurry.\n")],
  ["a part that no person plays", (draft) => (draft.parts.bob!.person = false), QUIET.replace("    played_by: person\n", "")],
  ["where it is, behind what goes before it", (draft) => (draft.setting = "A kitchen"), QUIET.replace("characters:", "setting: A kitchen\ncharacters:")],
  ["a limit", (draft) => (draft.usd = 0.5), QUIET.replace("max_beats: 6\n", "max_beats: 6\nbudget:\n  usd: 0.5\n")],
])("%s is changed in its own place", (_, change, expected) => {
  expect(after(change)).toBe(expected);
});

test("whoever leaves the cast takes the sheet along", () => {
  const text = after((draft) => (draft.cast = ["alice", "carl"]));
  expect(parse(text)).not.toHaveProperty("parts");
  expect(text).toContain("characters: [alice, carl] # nobody else");
  expect(text).toContain("seed: 7 # another number, another scene");
});

test("secrets that the file writes on several lines are replaced together", () => {
  const text = "parts:\n  Bob:\n    secrets:\n      - |\n        One.\n        Two.\n      - Three.\n";
  const draft = read();
  draft.parts.bob = { ...emptyPart(), secrets: "One.\nTwo.\nThree." };
  const before = sceneOf(draft);
  draft.parts.bob.secrets += "\nFour.";
  expect(parse(sceneText(text, before, sceneOf(draft), false))).toEqual({ parts: { Bob: { secrets: ["One.", "Two.", "Three.", "Four."] } } });
});

test("a file in JSON keeps its keys and its way to indent", () => {
  const text = JSON.stringify({ prompt: "One.", characters: ["alice", "bob"], maxBeats: 6, seed: 7 }, null, 4);
  const now = after((draft) => (draft.maxBeats = 9), text, true);
  expect(now).toBe(`${text.replace('"maxBeats": 6', '"maxBeats": 9')}\n`);
});

test.each(["the-apology/scenes/the-apology", "the-lighthouse/scenes/the-lamp-went-dark", "the-lost-umbrella/scenes/friday"])("in %s only what was changed changes", (name) => {
  const text = readFileSync(`../examples/${name}.yaml`, "utf-8");
  const written = parse(text) as { goal?: string | string[]; events?: [] };
  const goal = Array.isArray(written.goal) ? written.goal.map((one) => `- ${one}`).join("\n") : written.goal;
  const scene = { maxBeats: 50, ...written, goal } as unknown as Parameters<typeof draftOf>[0];
  const draft = draftOf(scene);
  Object.assign(draft, { maxBeats: 7, goal: "They go.", events: [...draft.events, { beat: 6, text: "A bell." }] });
  const now = sceneText(text, sceneOf(draftOf(scene)), sceneOf(draft), false);
  expect(parse(now)).toEqual({ ...written, maxBeats: 7, goal: "They go.", events: [...(written.events ?? []), { beat: 6, text: "A bell." }] });
  const old = text.split("\n");
  const kept = now.split("\n").filter((line) => old.includes(line));
  expect(old.filter((line) => !kept.includes(line)).every((line) => /^(maxBeats|goal|  - )/.test(line))).toBe(true);
  expect(now).toContain(text.slice(text.indexOf("lines:")));
});

test("the keys that the form has no field for are named, and those that differ", () => {
  expect(unseenKeys(QUIET)).toEqual(["seed", "lorebooks (Bob)"]);
  const draft = read();
  Object.assign(draft, { prompt: "Other.", cast: ["alice", "carl"] });
  expect(differences(sceneOf(read()), sceneOf(draft))).toEqual(["prompt", "characters", "parts"]);
});
