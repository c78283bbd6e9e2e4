import { expect, test } from "vitest";
import { matching, pages } from "./commands";

const named = (name: string, hint = "page") => ({ name, hint, href: "/" });

test("every word must be there, in any order, and what begins so comes first", () => {
  const all = [named("Blind line-up"), named("Alice", "character"), named("The Apology", "scene"), named("Apology", "run")];
  expect(matching(all, "apol").map(({ name }) => name)).toEqual(["Apology", "The Apology"]);
  expect(matching(all, "scene apol").map(({ name }) => name)).toEqual(["The Apology"]);
  expect(matching(all, "nothing like it")).toEqual([]);
});

test("nothing typed shows the pages, each with an address of its own", () => {
  const shown = matching(pages(), "", 50);
  expect(new Set(shown.map(({ href }) => href)).size).toBe(shown.length);
});
