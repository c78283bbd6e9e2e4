/** A lorebook while it is edited: what was read, what was typed over it, and what of that is sent. */
import type { Schemas } from "../../api/client";

export type Book = Schemas["LorebookView"];
export type Entry = Schemas["LoreEntryView"];
export type Field = Exclude<keyof Entry, "label" | "form">;
export type Fields = Pick<Entry, Field>;
export type Problem = Schemas["LoreProblem"];

/** An entry as it is typed. `at` is its place in the file; a new one has none. A removed one is gone once it is saved. */
export interface Draft {
  readonly key: number;
  readonly at: number | null;
  readonly form: Entry["form"];
  readonly fields: Fields;
  readonly removed: boolean;
}

/** How a field is shown: a line, a text, one in each line, a number, a box, a box that leaves it to the book, or a choice of some. */
export type Kind = "text" | "long" | "lines" | "number" | "optional" | "check" | "three" | "choice" | "many";
export interface Shown {
  readonly field: Field;
  readonly kind: Kind;
  readonly options?: readonly string[];
}

const shown = (kind: Kind, ...fields: Field[]): Shown[] => fields.map((field) => ({ field, kind }));
const choice = (field: Field, options: readonly string[], kind: Kind = "choice"): Shown => ({ field, kind, options });

export const LOGICS = ["and_any", "and_all", "not_any", "not_all"] as const;
export const POSITIONS = ["before_char", "after_char", "note_top", "note_bottom", "at_depth", "examples_top", "examples_bottom", "outlet"] as const;
export const ROLES = ["system", "user", "assistant"] as const;
export const PARTS = ["persona", "description", "personality", "depth_prompt", "scenario", "creator_notes"] as const;

/** What few entries need, in three groups. */
export const MORE: Readonly<Record<"wakes" | "place" | "course", readonly Shown[]>> = {
  wakes: [
    ...shown("lines", "secondaryKeys"),
    choice("logic", LOGICS),
    ...shown("check", "selective", "useRegex"),
    ...shown("three", "caseSensitive", "wholeWords"),
    ...shown("optional", "scanDepth"),
    choice("alsoScan", PARTS, "many"),
    ...shown("lines", "onlyFor", "onlyForTags"),
    ...shown("check", "notFor"),
    ...shown("lines", "triggers"),
  ],
  place: [
    ...shown("number", "order"),
    ...shown("optional", "priority"),
    choice("position", POSITIONS),
    ...shown("number", "depth"),
    choice("role", ROLES),
    ...shown("text", "outlet"),
    ...shown("check", "ignoreBudget"),
  ],
  course: [
    ...shown("number", "probability", "sticky", "cooldown", "delay"),
    ...shown("text", "group"),
    ...shown("number", "groupWeight"),
    ...shown("check", "groupOverride"),
    ...shown("three", "groupScoring"),
    ...shown("check", "excludeRecursion", "preventRecursion"),
    ...shown("number", "delayUntilRecursion"),
  ],
};

/** Whether a form of entry has a field at all. */
export function hasField(form: Entry["form"], field: Field): boolean {
  if (field === "useRegex") return form === "card";
  return form !== "world" || (field !== "name" && field !== "priority");
}

/** The field that people would call the title. */
export const titleField = (form: Entry["form"]): "name" | "comment" => (form === "card" ? "name" : "comment");

export function labelOf({ name, comment, keys }: Fields, otherwise: string): string {
  return name || comment || keys.filter(Boolean).slice(0, 3).join(", ") || otherwise;
}

export function draftsOf(book: Book): Draft[] {
  return book.entries.map(({ label: _, form, ...fields }, at) => ({ key: at, at, form, fields, removed: false }));
}

const BLANK: Fields = {
  name: "", comment: "", keys: [], secondaryKeys: [], selective: true, logic: "and_any", useRegex: false, content: "",
  enabled: true, constant: false, order: 100, priority: null, position: "before_char", depth: 4, role: "system", outlet: "",
  caseSensitive: null, wholeWords: null, scanDepth: null, probability: 100, group: "", groupOverride: false, groupWeight: 100,
  groupScoring: null, sticky: 0, cooldown: 0, delay: 0, excludeRecursion: false, preventRecursion: false, delayUntilRecursion: 0,
  ignoreBudget: false, onlyFor: [], onlyForTags: [], notFor: false, triggers: [], alsoScan: [],
}; // prettier-ignore

const nextKey = (drafts: readonly Draft[]) => Math.max(-1, ...drafts.map(({ key }) => key)) + 1;

/** With a new entry at the end. */
export function added(book: Book, drafts: readonly Draft[]): Draft[] {
  const alike = book.form === "world" ? "world" : book.entries.some(({ form }) => form === "sillytavern") ? "sillytavern" : "card";
  return [...drafts, { key: nextKey(drafts), at: null, form: alike, fields: BLANK, removed: false }];
}

/** With one entry a place further up (-1) or down (1). */
export function moved(drafts: readonly Draft[], key: number, by: -1 | 1): Draft[] {
  const list = [...drafts];
  const from = list.findIndex((one) => one.key === key);
  const to = from + by;
  if (from < 0 || to < 0 || to >= list.length) return list;
  list.splice(to, 0, ...list.splice(from, 1));
  return list;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What was typed over an entry, without lines that were left empty. */
export function changesOf(was: Fields, now: Fields): Partial<Fields> {
  const changed = (Object.keys(now) as Field[]).filter((field) => !same(was[field], now[field]));
  const tidy = (value: Fields[Field]) => (Array.isArray(value) ? value.map((line) => line.trim()).filter(Boolean) : value);
  return Object.fromEntries(changed.map((field) => [field, tidy(now[field])]));
}

const fieldsAt = (book: Book, at: number | null): Fields => (at === null ? BLANK : (book.entries[at] ?? BLANK));

function sent(book: Book, { at, fields }: Draft) {
  const changes = changesOf(fieldsAt(book, at), fields);
  return at === null ? { fields: changes } : Object.keys(changes).length ? { at, fields: changes } : { at };
}

/** What the server is sent: every entry that stays, with what changes of it, and a new name of the book. */
export function editOf(book: Book, drafts: readonly Draft[], name = book.name) {
  const renamed = name === book.name ? {} : { name };
  return { digest: book.digest, ...renamed, entries: drafts.filter(({ removed }) => !removed).map((draft) => sent(book, draft)) };
}

export interface Counts {
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  readonly moved: boolean;
  readonly renamed: boolean;
}

export function countsOf(book: Book, drafts: readonly Draft[], name = book.name): Counts {
  const kept = drafts.filter(({ removed }) => !removed);
  const places = kept.flatMap(({ at }) => (at === null ? [] : [at]));
  return {
    changed: kept.filter(({ at, fields }) => at !== null && Object.keys(changesOf(fieldsAt(book, at), fields)).length).length,
    added: kept.filter(({ at }) => at === null).length,
    removed: book.entries.length - places.length,
    moved: places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)),
    renamed: name !== book.name,
  };
}

export const isChanged = ({ changed, added, removed, moved, renamed }: Counts) => changed + added + removed > 0 || moved || renamed;

/**
 * My changes over a book that somebody else has saved: what I changed of an entry is put over theirs, what they added stays,
 * what they deleted is new again if I had changed it.
 */
export function rebased(was: Book, now: Book, drafts: readonly Draft[]): Draft[] {
  const free = new Set(now.entries.keys());
  const place = new Map<number, number>();
  const alike = [
    (one: Fields, other: Fields) => same(Object.entries(one).sort(), Object.entries(other).sort()),
    (one: Fields, other: Fields) => same([one.name, one.comment, one.keys], [other.name, other.comment, other.keys]),
    (one: Fields, other: Fields) => one.content === other.content,
  ];
  for (const is of alike) {
    for (const [at, entry] of was.entries.entries()) {
      const found = place.has(at) ? undefined : [...free].find((other) => is(entry, fieldsAt(now, other)));
      if (found !== undefined) (place.set(at, found), free.delete(found));
    }
  }
  const mine = drafts.flatMap((draft): Draft[] => {
    if (draft.at === null) return [draft];
    const changes = changesOf(fieldsAt(was, draft.at), draft.fields);
    const at = place.get(draft.at);
    if (at !== undefined) return [{ ...draft, at, fields: { ...fieldsOf(now, at), ...changes } }];
    return Object.keys(changes).length && !draft.removed ? [{ ...draft, at: null }] : [];
  });
  const key = nextKey(mine);
  const theirs = draftsOf(now).filter(({ at }) => at !== null && free.has(at));
  return [...mine, ...theirs.map((draft, index) => ({ ...draft, key: key + index }))];
}

function fieldsOf(book: Book, at: number): Fields {
  return draftsOf(book)[at]?.fields ?? BLANK;
}
