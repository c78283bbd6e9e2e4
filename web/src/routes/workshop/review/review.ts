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
