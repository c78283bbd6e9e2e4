import { expect, test } from "vitest";
import { chapterOf, columnsOf, keptIn, type PlannedScene, type Promised } from "./board";

const plan = (scaffoldId: string) => ({ scaffoldId, title: scaffoldId }) as PlannedScene;
const envelope = {
  name: "the_envelope",
  state: "planted",
  planted: { scene: "ch01-sc02" },
  echoed: [{ scene: "ch02-sc01" }, { scene: "ch02-sc02" }],
  paid: null,
  due: "ch02-sc02",
} as unknown as Promised;

test("planned and written scenes stand once, under their chapter", () => {
  const columns = columnsOf([plan("ch02-sc01"), plan("ch01-sc01")], [{ name: "ch01-sc01" }, { name: "prologue" }] as never, []);
  expect(columns.map(({ chapter, cards }) => [chapter, cards.map(({ scene }) => scene)])).toEqual([
    ["1", ["ch01-sc01"]],
    ["2", ["ch02-sc01"]],
    ["", ["prologue"]],
  ]);
});

test("a scene says what it does for a promise, and what is due in it", () => {
  expect(keptIn("ch01-sc02", [envelope])).toEqual([{ promise: "the_envelope", deed: "planted" }]);
  expect(keptIn("ch02-sc02", [envelope]).map(({ deed }) => deed)).toEqual(["echoed", "due"]);
  expect(keptIn("ch02-sc02", [{ ...envelope, state: "paid", paid: { scene: "ch02-sc02" } } as Promised]).map(({ deed }) => deed)).toEqual(["paid"]);
});

test("a chapter is a number, however it is padded", () => {
  expect([chapterOf("ch012-sc01"), chapterOf("letters/one")]).toEqual(["12", ""]);
});
