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
  expect(renamed('{"flags": {"bold": {}}}', ["flags", "bold"], "brave", true)).toBe('{\n  "flags": {\n    "brave": {}\n  }\n}\n');
});
