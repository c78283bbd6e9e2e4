import { expect, test } from "vitest";
import { pieces } from "./prose";

test("what is done stands apart from what is said, without its signs", () => {
  expect(pieces('*She looks away*\n"You came back."')).toEqual([
    { text: "She looks away", done: true },
    { text: "You came back.", done: false },
  ]);
});

test("words that are still arriving look as they will when they are complete", () => {
  expect(pieces("*She loo")).toEqual([{ text: "She loo", done: true }]);
  expect(pieces('"You ca')).toEqual([{ text: "You ca", done: false }]);
});

test("a quotation inside a sentence keeps its marks, and markup stays text", () => {
  expect(pieces('He said "no", twice.')).toEqual([{ text: 'He said "no", twice.', done: false }]);
  expect(pieces("<b>5 * 3</b>")).toEqual([{ text: "<b>5 * 3</b>", done: false }]);
});
