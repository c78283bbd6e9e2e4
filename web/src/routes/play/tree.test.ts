import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { tree } from "./tree";

const message = (id: string, parent: string, current = true): Schemas["BranchMessage"] => ({
  id,
  parent,
  role: Number(id.slice(1)) % 2 ? "character" : "player",
  excerpt: `words of ${id}`,
  current,
  name: "",
});

test("a talk without forks is one row, however long", () => {
  const talk = Array.from({ length: 5000 }, (_, index) => message(`m${index + 1}`, index ? `m${index}` : ""));
  expect(tree(talk)).toMatchObject([{ id: "m1", depth: 0, hidden: 4999, leaf: "m5000", current: true }]);
});

test("a fork is two rows one step in, oldest first, each leading to its newest message", () => {
  const rows = tree([message("m1", ""), message("m2", "m1"), message("m3", "m2", false), message("m4", "m3", false), message("m5", "m2")]);
  expect(rows.map(({ id, depth, leaf, current }) => [id, depth, leaf, current])).toEqual([
    ["m1", 0, "m2", true],
    ["m3", 1, "m4", false],
    ["m5", 1, "m5", true],
  ]);
});

test("several greetings are several beginnings", () => {
  expect(tree([message("m1", "", false), message("m3", "")]).map(({ depth }) => depth)).toEqual([0, 0]);
});
