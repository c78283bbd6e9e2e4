import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readWritten, renamed, rewritten } from "./written";

const FERRYMAN = readFileSync("../examples/the-missing-ledger/episodes/the-ferryman.yaml", "utf-8");
const changed = (before: string, after: string) => {
  const old = new Set(before.split("\n"));
  return after.split("\n").filter((line) => !old.has(line));
};

test("a field changes its own line and no other", () => {
  expect(changed(FERRYMAN, rewritten(FERRYMAN, ["title"], "The oath"))).toEqual(["title: The oath"]);
  expect(changed(FERRYMAN, rewritten(FERRYMAN, ["beats", 1, "deadline"], 9))).toEqual(["    deadline: 9"]);
  expect(changed(FERRYMAN, rewritten(FERRYMAN, ["themes"], ["mystery", "salt"]))).toEqual(["themes: [mystery, salt]"]);
  expect(rewritten(FERRYMAN, ["title"], "The ferryman")).toBe(FERRYMAN);
});

test("comments and the way lists are written stay", () => {
  const text = "# for Ada\ntitle: One # the first\nbeats:\n- beat: pivot\n";
  expect(rewritten(text, ["title"], "Two")).toBe("# for Ada\ntitle: Two # the first\nbeats:\n- beat: pivot\n");
});

const SCENE = `# A quiet one.
prompt: >
  Bob is late,
  and Alice has waited.

  It rains.
goal: "Bob says
  sorry" # at last
events:
  - beat: 1 # at once
    text: The kettle boils.
  - {beat: 2, text: It rains.} # still
  # no more

# What each knows
parts:
  bob: # late
    note: Hurry. # really
    # he has the key
  alice:
    secrets: [a, b]   # two
`;

test.each<[string, readonly (string | number)[], unknown, string]>([
  ["a value", ["parts", "bob", "note"], "Stay.", SCENE.replace("Hurry.", "Stay.")],
  ["a value behind a dash", ["events", 0, "beat"], 3, SCENE.replace("beat: 1", "beat: 3")],
  ["a list in brackets", ["parts", "alice", "secrets", 2], "c", SCENE.replace("[a, b]", "[a, b, c]")],
  ["a value with a remark that becomes a block", ["goal"], "One.\nTwo.", SCENE.replace('goal: "Bob says\n  sorry" # at last', "# at last\ngoal: |-\n  One.\n  Two.")],
  ["a folded text", ["prompt"], "Bob is early, and Alice has not waited for him at all since she is late.\n", SCENE.replace(/ {2}Bob is late,[^]*rains\.\n(?=goal)/, "  Bob is early, and Alice has not waited for him at all\n  since she is late.\n")],
  ["a key that goes", ["parts", "bob", "note"], "", SCENE.replace("  bob: # late\n    note: Hurry. # really\n", "")],
  ["an item that goes", ["events", 1], undefined, SCENE.replace("  - {beat: 2, text: It rains.} # still\n", "")],
  ["a key that comes", ["parts", "bob", "enters"], 2, SCENE.replace("# really\n", "# really\n    enters: 2\n")],
])("%s changes, and every other line of the file stays as it was", (_, place, value, expected) => {
  expect(rewritten(SCENE, place, value)).toBe(expected);
});

test("a new key stands behind those that go before it", () => {
  const text = "prompt: One # who\nlines: []\n";
  expect(rewritten(text, ["goal"], "Two", false, ["prompt", "goal"])).toBe("prompt: One # who\ngoal: Two\nlines: []\n");
  expect(rewritten(text, ["goal"], "Two")).toBe("prompt: One # who\nlines: []\ngoal: Two\n");
  expect(rewritten("prompt: One", ["goal"], "Two")).toBe("prompt: One\ngoal: Two\n");
});

test("lines end as they did", () => {
  expect(rewritten("prompt: One\r\nseed: 1\r\n", ["prompt"], "Two\nThree")).toBe("prompt: |-\r\n  Two\r\n  Three\r\nseed: 1\r\n");
});

test("what is emptied goes, with what held nothing else", () => {
  const text = "title: One\nplayer:\n  role: a guest\n";
  expect(rewritten(text, ["player", "role"], "")).toBe("title: One\n");
  expect(rewritten("title: One\n", ["player", "role"], "")).toBe("title: One\n");
});

test("what was not there is added, also below a key without a value", () => {
  expect(rewritten("title: One\n", ["player", "role"], "a guest")).toBe("title: One\nplayer:\n  role: a guest\n");
  expect(rewritten("title: One\nplayer:\n", ["player", "role"], "a guest")).toBe("title: One\nplayer:\n  role: a guest\n");
  expect(rewritten("", ["title"], "One")).toBe("title: One\n");
  expect(rewritten("title: One\n", ["beats", 0], { beat: "pivot" })).toBe("title: One\nbeats:\n  - beat: pivot\n");
});

test("a word that the server would take for something else is quoted", () => {
  expect(readWritten(rewritten("title: One\n", ["title"], "no")).value(["title"])).toBe("no");
  expect(rewritten("title: One\n", ["title"], "no")).toBe('title: "no"\n');
});

test("a file in JSON stays one", () => {
  expect(JSON.parse(rewritten('{"title": "One"}', ["title"], "Two", true))).toEqual({ title: "Two" });
});

test("a place has its line, or that of the key it would stand under", () => {
  const read = readWritten("title: One\nbeats:\n  - beat: pivot\n    deadline: 2\n");
  expect([["title"], ["beats", 0, "deadline"], ["beats", 0, "prompt"], ["beats", 0], ["nowhere"]].map((place) => read.lineOf(place))).toEqual([1, 4, 3, 3, 1]);
});

test("a file with anchors is told from one without", () => {
  expect([readWritten("a: &x 1\nb: *x\n").tied, readWritten("a: &x {b: 1}\nc:\n  <<: *x\n").tied, readWritten(SCENE).tied]).toEqual([true, true, false]);
});

test("a text that cannot be read says where", () => {
  const { problem, value } = readWritten("title: One\nbeats: [\n");
  expect(problem?.line).toBeGreaterThan(1);
  expect(problem?.message).not.toBe("");
  expect(value(["title"])).toBe(undefined);
});

test("a key is renamed where it stands, and what it leads to stays", () => {
  const text = "flags:\n  # at the bar\n  bold: {keywords: [stay]} # the first\n  shy:\n    keywords: [go]\n";
  expect(renamed(text, ["flags", "bold"], "brave")).toBe(text.replace("bold", "brave"));
  expect(renamed(text, ["flags", "nobody"], "brave")).toBe(text);
  expect(renamed('{"flags": {"bold": {}}}', ["flags", "bold"], "brave", true)).toBe('{"flags": {"brave": {}}}');
});
