import { expect, test } from "vitest";
import { cardsIn, MOST_FILES } from "./files";

const file = (name: string) => ({ isFile: true, isDirectory: false, name, file: (done: (one: File) => void) => done(new File([""], name)) });
/** A folder that gives its entries in parts of two, as browsers do. */
const folder = (...inside: object[]) => {
  const parts = Array.from({ length: Math.ceil(inside.length / 2) }, (_, at) => inside.slice(2 * at, 2 * at + 2));
  return { isFile: false, isDirectory: true, name: "folder", createReader: () => ({ readEntries: (done: (part: object[]) => void) => done(parts.shift() ?? []) }) };
};
const drop = (...entries: object[]) => ({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [] }) as unknown as DataTransfer;
const names = async (dropped: DataTransfer) => (await cardsIn(dropped)).map(({ name }) => name);

test("a folder of SillyTavern gives its cards, however deep, and nothing else", async () => {
  const tavern = folder(file("Alice.png"), file("settings.txt"), folder(file("Bob.JSON"), folder(file("Cleo.charx"))), file("Dan.png"));
  expect(await names(drop(tavern))).toEqual(["Alice.png", "Bob.JSON", "Cleo.charx", "Dan.png"]);
});

test("files that were dropped without a folder are all tried, so that one that is no card says so", async () => {
  const dropped = { items: [{ webkitGetAsEntry: () => file("junk.txt") }], files: [new File([""], "junk.txt")] } as unknown as DataTransfer;
  expect(await names(dropped)).toEqual(["junk.txt"]);
});

test("a disk that was dropped by mistake ends somewhere", async () => {
  const many = Array.from({ length: MOST_FILES + 50 }, (_, at) => file(`${at}.png`));
  expect(await names(drop(folder(...many)))).toHaveLength(MOST_FILES);
});
