import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fold, type EnsembleEntry } from "../../folds/ensemble";
import { heard, programme, seconds, words, type StageLine } from "./performance";

const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../folds/recorded/ensembles/${name}.json`, import.meta.url), "utf-8")) as {
    entries: EnsembleEntry[];
    manifest: { turns: { lines: { turnIndex: number; slotId: number }[] }[] };
  };

test.each(["six", "two", "one"])("a stage performs every line of the session '%s' once, turn by turn", (name) => {
  const { entries, manifest } = recorded(name);
  const all = manifest.turns.flatMap(({ lines }) => lines.map(({ turnIndex, slotId }) => `${turnIndex}/${slotId}`));
  expect(programme(fold(entries)).map(({ at }) => at)).toEqual(all);
});

test("what was performed never changes while more arrives", () => {
  const { entries } = recorded("six");
  let view = fold([]);
  let before: string[] = [];
  for (const entry of entries) {
    view = fold([entry], view);
    const now = programme(view).map(({ at }) => at as string);
    expect(now.slice(0, before.length)).toEqual(before);
    before = now;
  }
});

const line = (text: string, recording?: object) =>
  ({ at: "1/1", spoken: { text }, recorded: recording ? { recording } : null }) as unknown as StageLine;

test("words appear when they are heard, where the engine gave their times", () => {
  const times = ["Be", "brave,", "now."].map((word, index) => ({ word, start: index, end: index + 0.9 }));
  const spoken = line("Be brave, now.", { duration_ms: 4000, words: times, silent: false });
  expect([0, 0.5, 1, 2.5].map((after) => heard(spoken, after))).toEqual([1, 1, 2, 3]);
  expect(seconds(spoken)).toBe(4);
});

test("without times they appear evenly, and all of them are there at the end", () => {
  const spoken = line("one two three four", { duration_ms: 4000, words: [], silent: false });
  expect([0, 1, 2.5, 4, 9].map((after) => heard(spoken, after))).toEqual([0, 1, 3, 4, 4]);
  const read = line("one two three four");
  expect(heard(read, seconds(read))).toBe(words(read.spoken.text).length);
});
