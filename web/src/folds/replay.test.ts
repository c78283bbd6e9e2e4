import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { participation, upTo } from "./replay";
import { fold, type SceneEntry } from "./scene";

const { entries } = JSON.parse(readFileSync(new URL("./recorded/played.json", import.meta.url), "utf-8")) as {
  entries: SceneEntry[];
};
const whole = fold(entries);

test("after each beat there are the lines of that beat and of those before, and none of a later one", () => {
  for (let beats = 1; beats <= whole.beat; beats += 1) {
    const then = fold(upTo(entries, beats));
    const numbers = whole.lines.filter((line) => line.beat < beats).map((line) => line.number);
    expect(then.lines.map((line) => line.number)).toEqual(numbers);
    expect(then.beat).toBeLessThanOrEqual(beats);
  }
});

test("after the last beat the whole scene is there", () => {
  expect(fold(upTo(entries, whole.beat + 1))).toEqual(whole);
});

test("words are counted up beat by beat, and end at all that were said", () => {
  const names = whole.cast.map((member) => member.displayName);
  const shares = participation(whole.lines, names, whole.beat);
  const last = shares.at(-1)?.words ?? [];
  names.forEach((name, place) => {
    const said = whole.lines.filter((line) => line.speaker === name).map((line) => line.content).join(" ");
    expect(last[place]).toBe(said.split(/\s+/).filter(Boolean).length);
  });
  for (const [one, next] of shares.slice(1).map((share, at) => [shares[at]!, share] as const)) {
    next.words.forEach((count, place) => expect(count).toBeGreaterThanOrEqual(one.words[place] ?? 0));
  }
});

test("each line is looked at once, however many beats there are", () => {
  let looks = 0;
  const lines = Array.from({ length: 1_000 }, (_, at) => ({
    get beat() {
      looks += 1;
      return at;
    },
    speaker: "Ada",
    content: "one two",
  }));
  expect(participation(lines, ["Ada"], 1_000).at(-1)?.words).toEqual([2_000]);
  expect(looks).toBeLessThanOrEqual(2 * lines.length);
});
