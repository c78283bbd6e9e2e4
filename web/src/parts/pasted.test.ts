import { expect, test } from "vitest";
import { tooLong } from "./pasted";

const field = { value: "Hello", maxLength: 10, selectionStart: 5, selectionEnd: 5 };

test("a field takes what it has room for, also in place of what is selected", () => {
  expect(tooLong(field, " Bob!")).toBeNull();
  expect(tooLong({ ...field, selectionStart: 0 }, "ten letter")).toBeNull();
  expect(tooLong(field, "a\r\nb\r\nc")).toBeNull();
  expect(tooLong({ ...field, maxLength: -1 }, "x".repeat(1000))).toBeNull();
});

test("what is too long is measured with what stands there", () => {
  expect(tooLong(field, "six more")).toEqual({ length: 13, most: 10 });
});
