/** What a scene has cost so far, and who has cost it. */
import type { SceneView, Spent } from "../../folds/scene";

export interface SpentRow extends Spent {
  /** The card; none for the director. */
  readonly card: string;
  readonly name: string;
}

/** The cast in its order, then those who have left, then the director under no name. */
export function spentRows({ cast, spent }: Pick<SceneView, "cast" | "spent">): readonly SpentRow[] {
  const cards = new Set([...cast.map(({ name }) => name), ...Object.keys(spent).filter(Boolean), ""]);
  const names = new Map(cast.map(({ name, displayName }) => [name, displayName]));
  return [...cards].flatMap((card) => (spent[card] ? [{ card, name: names.get(card) ?? card, ...spent[card] }] : []));
}

/** Unknown as soon as one price is. */
export function sumOf(rows: readonly Spent[]): Spent {
  const usd = rows.some((row) => row.usd === null) ? null : rows.reduce((sum, row) => sum + (row.usd ?? 0), 0);
  return { tokens: rows.reduce((sum, row) => sum + row.tokens, 0), usd };
}
