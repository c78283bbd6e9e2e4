import { expect, test } from "vitest";
import { fileName } from "./names";

test("a title gives the name of a file that the server takes, or none", () => {
  expect(fileName("Tea at midnight!")).toBe("tea-at-midnight");
  expect(fileName("Ärger im Café, große Straße")).toBe("arger-im-cafe-grosse-strasse");
  expect(fileName("../../etc")).toBe("etc");
  expect(fileName("お茶")).toBe("");
});
