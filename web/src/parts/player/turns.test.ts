import { expect, test } from "vitest";
import { clock, heardAt, inChapters, neighbour, turnsOf, voices } from "./turns";

const turns = [
  { id: "0", speaker: "Narrator", text: "Night.", startMs: 100, endMs: 400 },
  { id: "1", speaker: "Alice", text: "Look—", startMs: 3000, endMs: 3900 },
  { id: "2", speaker: "Bob", text: "No!", startMs: 3800, endMs: 7000 },
];

test("the turn that is heard is the one that began last, and none in a pause or before the first", () => {
  expect([0, 200, 450, 3000, 3850, 6999, 7000].map((ms) => heardAt(turns, ms)?.id)).toEqual([undefined, "0", undefined, "1", "2", "2", undefined]);
  expect(heardAt([], 5)).toBeUndefined();
});

test("back leads to the beginning of the turn that is heard, and from there to the one before it", () => {
  expect([6000, 3900, 200].map((ms) => neighbour(turns, ms, -1)?.id)).toEqual(["2", "0", "0"]);
  expect([0, 200, 3000, 6000].map((ms) => neighbour(turns, ms, 1)?.id)).toEqual(["0", "1", "2", undefined]);
});

test("turns stand under the chapter in which they begin, those before the first in the first, and an empty chapter is left out", () => {
  const chapters = [{ title: "One", startMs: 200, endMs: 3000 }, { title: "Two", startMs: 3000, endMs: 8000 }, { title: "Three", startMs: 8000, endMs: 9000 }];
  expect(inChapters(turns, chapters).map(({ title, turns: own }) => [title, own.map(({ id }) => id)])).toEqual([["One", ["0"]], ["Two", ["1", "2"]]]);
  expect(inChapters(turns, []).map(({ title, turns: own }) => [title, own.length])).toEqual([["", 3]]);
});

test("a published programme has its turns in its word times; of an older one they are made of the words", () => {
  const word = (text: string, startMs: number) => ({ word: text, startMs, endMs: startMs + 90 });
  const line = { id: "1", speaker: "Alice", source: "engine" as const, words: [word("Look", 100), word("here", 200)] };
  const older = { ...line, text: "", startMs: 0, endMs: 0 };
  const read = (passage: typeof older) => turnsOf({ schema: "dramaturg.words/1", passages: [passage] });
  expect(read({ ...line, text: "Look here!", startMs: 80, endMs: 310 })).toEqual([{ id: "1", speaker: "Alice", text: "Look here!", startMs: 80, endMs: 310 }]);
  expect(read(older)).toEqual([{ id: "1", speaker: "Alice", text: "Look here", startMs: 100, endMs: 290 }]);
  expect(read({ ...older, words: [] })).toEqual([]);
});

test("a speaker keeps one colour, and the seventh has that of the first", () => {
  const many = Array.from({ length: 8 }, (_, at) => ({ ...turns[0]!, speaker: `S${at % 7}` }));
  expect([...voices(many)].map(([name, colour]) => `${name} ${colour}`)).toEqual([1, 2, 3, 4, 5, 6, 1].map((place, at) => `S${at} var(--voice-${place})`));
});

test("a moment is shown in minutes, and in hours only where there are some", () => {
  expect([0, 59_999, 61_000, 3_723_000].map(clock)).toEqual(["0:00", "0:59", "1:01", "1:02:03"]);
});
