/** What an edited document brings back, as the writer goes through it. */
import type { Schemas } from "../../../api/client";

export type Decision = "accept" | "leave";
/** By the number of a change. */
export type Decisions = Readonly<Record<number, Decision>>;

export type Remark = Schemas["ReturnedNote"];

export interface Change extends Readonly<Schemas["ReturnedPatch"]> {
  readonly words: readonly Schemas["DiffWords"][];
}

/** What came back to one scene. */
export interface ReviewedScene {
  readonly path: string;
  /** As the address of the book names it: `ch01-sc02`. */
  readonly name: string;
  readonly changes: readonly Change[];
  readonly remarks: readonly Remark[];
}

/** The scenes in the order of the document, each with its changes and remarks. */
export function byScene({ review, words }: Schemas["ReviewView"]): ReviewedScene[] {
  const shown = new Map(words.map((one) => [one.number, one.words]));
  const changes = review.patches.map((one) => ({ ...one, words: shown.get(one.number) ?? [] }));
  const paths = new Set([...changes.map(({ patch }) => patch.anchor.path), ...review.notes.map(({ note }) => note.anchor.path)]);
  return [...paths].map((path) => ({
    path,
    name: path.replace(/^.*\//, "").replace(/\.md$/, ""),
    changes: changes.filter(({ patch }) => patch.anchor.path === path),
    remarks: review.notes.filter(({ note }) => note.anchor.path === path),
  }));
}

/** The changes that would be made now. */
export function chosen(changes: readonly Schemas["ReturnedPatch"][], decided: Decisions): number[] {
  return changes.filter(({ state, number }) => state === "ready" && decided[number] === "accept").map(({ number }) => number);
}

/** The changes that can be made and are not decided. */
export function undecided(changes: readonly Schemas["ReturnedPatch"][], decided: Decisions): number[] {
  return changes.filter(({ state, number }) => state === "ready" && !decided[number]).map(({ number }) => number);
}

/** The words before and after a change, whole and of its own paragraph, with the spaces that the change itself has at its ends. */
export function beside({ anchor, new: words }: Schemas["ManuscriptPatch"]): { before: string; after: string } {
  const LONG = 40;
  const own = { before: anchor.before.split(/\n\s*\n/).at(-1) ?? "", after: anchor.after.split(/\n\s*\n/)[0] ?? "" };
  const changed = anchor.quote || words;
  return {
    before: `${own.before.length < LONG ? own.before : own.before.replace(/^\S*\s+/, "… ")}${/^\s/.test(changed) ? " " : ""}`,
    after: `${/\s$/.test(changed) ? " " : ""}${own.after.length < LONG ? own.after : own.after.replace(/\s+\S*$/, " …")}`,
  };
}
