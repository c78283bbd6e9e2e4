/** One text of two that were made from the same one. */
import { diff3Merge } from "node-diff3";

export interface Merged {
  readonly text: string;
  /** Places where both had changed the same lines; there, mine stands before theirs. */
  readonly clashes: number;
}

/** Everything that either side wrote: changes in different places are both made, and nothing of a clash is left out. */
export function bothOf(base: string, mine: string, theirs: string): Merged {
  const regions = diff3Merge(lines(mine), lines(base), lines(theirs), { excludeFalseConflicts: true });
  const clashes = regions.filter(({ conflict }) => conflict).length;
  const merged = regions.flatMap(({ ok, conflict }) => ok ?? [...(conflict?.a ?? []), ...(conflict?.b ?? [])]);
  return { text: merged.join("\n"), clashes };
}

const lines = (text: string): string[] => text.split("\n");
