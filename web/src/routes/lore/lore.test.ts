import { expect, test } from "vitest";
import { added, changesOf, countsOf, draftsOf, editOf, isChanged, labelOf, moved, rebased, type Book, type Draft, type Fields } from "./lore";

const blank = added({ name: "", file: "", form: "card", digest: "", entries: [] }, [])[0]?.fields as Fields;
const entry = (name: string, content: string) => ({ ...blank, name, keys: [name], content, label: name, form: "card" as const });
const book = (digest: string, ...entries: [string, string][]): Book => ({ name: "", file: "", form: "card", digest, entries: entries.map(([name, content]) => entry(name, content)) });
const WAS = book("1", ["bell", "Cracked."], ["coast", "Chalk."]);
const typed = (drafts: Draft[], at: number, fields: Partial<Fields>) => drafts.map((one) => (one.at === at ? { ...one, fields: { ...one.fields, ...fields } } : one));
const said = (drafts: readonly Draft[]) => drafts.map(({ at, fields }) => [at, fields.name, fields.content]);

test("only what was typed is sent, and an entry that stays is named by its place", () => {
  const drafts = typed(draftsOf(WAS), 1, { content: "Flint." });
  expect(editOf(WAS, drafts)).toEqual({ digest: "1", entries: [{ at: 0 }, { at: 1, fields: { content: "Flint." } }] });
  expect(isChanged(countsOf(WAS, draftsOf(WAS)))).toBe(false);
});

test("a new name of the book is a change and is sent, the old one is neither", () => {
  const drafts = draftsOf(WAS);
  expect(editOf(WAS, drafts, "The coast")).toEqual({ digest: "1", name: "The coast", entries: [{ at: 0 }, { at: 1 }] });
  expect(isChanged(countsOf(WAS, drafts, "The coast"))).toBe(true);
  expect(isChanged(countsOf(WAS, drafts, WAS.name))).toBe(false);
});

test("lines that were left empty are not sent", () => {
  expect(changesOf(blank, { ...blank, keys: [" bell ", "", " "] })).toEqual({ keys: ["bell"] });
});

test("a removed entry is not sent, a moved one is a change, a new one has no place", () => {
  const drafts = moved(added(WAS, draftsOf(WAS)), 2, -1).map((one) => ({ ...one, removed: one.at === 0 }));
  expect(editOf(WAS, drafts).entries).toEqual([{ fields: {} }, { at: 1 }]);
  expect(countsOf(WAS, drafts)).toEqual({ changed: 0, added: 1, removed: 1, moved: false, renamed: false });
  expect(countsOf(WAS, moved(draftsOf(WAS), 0, 1)).moved).toBe(true);
  expect(moved(draftsOf(WAS), 0, -1)).toEqual(draftsOf(WAS));
});

test("my changes go over theirs: what they changed elsewhere and added stays, what they deleted is new again", () => {
  const mine = typed(draftsOf(WAS), 1, { content: "Flint." });
  const now = book("2", ["harbour", "It froze."], ["coast", "Chalk, and gulls."]);
  expect(said(rebased(WAS, now, mine))).toEqual([
    [1, "coast", "Flint."],
    [0, "harbour", "It froze."],
  ]);
  const both = typed(mine, 0, { content: "Mended." });
  expect(said(rebased(WAS, now, both))[0]).toEqual([null, "bell", "Mended."]);
  expect(rebased(WAS, book("2", ["coast", "Chalk."], ["bell", "Cracked."]), draftsOf(WAS)).map(({ at }) => at)).toEqual([1, 0]);
});

test("an entry is called by its name, its note, its keys, or what it is", () => {
  expect(labelOf({ ...blank, keys: ["", "a", "b"] }, "New entry")).toBe("a, b");
  expect(labelOf(blank, "New entry")).toBe("New entry");
});
