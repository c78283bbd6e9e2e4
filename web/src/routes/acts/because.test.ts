import { expect, test } from "vitest";
import { because } from "./because";

test("the rules of an act are told in the reader's language, and an author's own words as they are", () => {
  expect(because("in the order of the act")).toBe("in the order of the act");
  expect(because("nothing else holds")).toBe("nothing else holds");
  expect(because("the goal 'Bob confesses' is met")).toBe("the goal 'Bob confesses' is met");
});
