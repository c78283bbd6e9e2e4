/** The plan of a book as a board: chapters as columns, scenes as cards, and what each does for a promise. */
import type { Schemas } from "../../../api/client";

export type Promised = Schemas["Promise"];
export type PlannedScene = Schemas["ScaffoldRow"];
export type Deed = "planted" | "echoed" | "paid" | "due";

export interface Kept {
  readonly promise: string;
  readonly deed: Deed;
}

export interface Card {
  readonly scene: string;
  readonly plan: PlannedScene | null;
  readonly written: Schemas["ManuscriptScene"] | null;
  readonly promises: readonly Kept[];
}

export interface Column {
  readonly chapter: string;
  readonly cards: readonly Card[];
}

/** Every scene that is planned or written, in the order of their names, under its chapter. */
export function columnsOf(plans: readonly PlannedScene[], scenes: readonly Schemas["ManuscriptScene"][], promises: readonly Promised[]): Column[] {
  const [planned, written] = [new Map(plans.map((one) => [one.scaffoldId, one])), new Map(scenes.map((one) => [one.name, one]))];
  const columns = new Map<string, Card[]>();
  for (const scene of [...new Set([...planned.keys(), ...written.keys()])].sort()) {
    const card = { scene, plan: planned.get(scene) ?? null, written: written.get(scene) ?? null, promises: keptIn(scene, promises) };
    const chapter = chapterOf(scene);
    columns.set(chapter, [...(columns.get(chapter) ?? []), card]);
  }
  return [...columns].map(([chapter, cards]) => ({ chapter, cards }));
}

/** What a scene does for each promise: at most one thing of each kind. */
export function keptIn(scene: string, promises: readonly Promised[]): Kept[] {
  return promises.flatMap(({ name, planted, echoed, paid, due, state }) => {
    const deeds: Deed[] = [];
    if (planted?.scene === scene) deeds.push("planted");
    if (echoed.some((one) => one.scene === scene) && paid?.scene !== scene) deeds.push("echoed");
    if (paid?.scene === scene) deeds.push("paid");
    if (due === scene && state !== "paid" && state !== "dropped") deeds.push("due");
    return deeds.map((deed) => ({ promise: name, deed }));
  });
}

export function chapterOf(scene: string): string {
  return /^ch0*(\d+)/.exec(scene)?.[1] ?? "";
}
