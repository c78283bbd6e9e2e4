import { expect, test } from "vitest";
import type { Fact } from "./facts";
import { upTo } from "./storytime";

const fact = (id: number, file: string) => ({ id, file }) as unknown as Fact;
const facts = [fact(1, "story-bible/ruth.md"), fact(2, "manuscript/ch01-sc01.md"), fact(3, "manuscript/ch02-sc01.md")];
const shown = (at: number) => upTo(facts, ["ch01-sc01", "ch02-sc01"], at).map(({ id }) => id);

test("a moment of the story has what was told before it, and the story bible", () => {
  expect([shown(1), shown(2), shown(0)]).toEqual([[1, 2], [1, 2, 3], [1, 2, 3]]);
});
