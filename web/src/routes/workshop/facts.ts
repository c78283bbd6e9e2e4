/** Facts of a book as a graph: who and what they are about, and how these are connected. */
import type { Schemas } from "../../api/client";
import { spoken } from "./words";

export type Fact = Schemas["FactView"];

export interface Node {
  readonly id: string;
  readonly label: string;
  readonly facts: number;
}

export interface Edge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly label: string;
}

export interface FactGraph {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** Facts that were left out because there are too many to draw. */
  readonly left: number;
}

/** More than so many facts are not drawn: nobody could read them, and the page would stand still. */
export const MOST_EDGES = 300;

export function graphOf(facts: Iterable<Fact>, most = MOST_EDGES): FactGraph {
  const all = [...new Map([...facts].map((fact) => [fact.id, fact])).values()].filter(({ subject, object }) => subject && object);
  const drawn = all.slice(0, most);
  const counts = new Map<string, number>();
  for (const { subject, object } of drawn) {
    for (const name of new Set([subject, object])) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return {
    nodes: [...counts].map(([name, count]) => ({ id: name, label: shortened(name), facts: count })),
    edges: drawn.map(({ id, subject, object, predicate }) => ({ id: `f${id}`, source: subject, target: object, label: spoken(predicate) })),
    left: all.length - drawn.length,
  };
}

function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
