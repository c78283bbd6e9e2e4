/** A long list in pieces, so that a page draws and lays out one at a time. */
export interface Piece<T> {
  readonly items: readonly T[];
}

export const SIZE = 40;

/** Cuts a list. A piece with the same items as before is the same object, and a page leaves it alone. */
export function pieces<T>(items: readonly T[], before: readonly Piece<T>[] = []): readonly Piece<T>[] {
  return Array.from({ length: Math.ceil(items.length / SIZE) }, (_, at) => {
    const own = items.slice(at * SIZE, (at + 1) * SIZE);
    const same = before[at];
    return same?.items.length === own.length && own.every((item, place) => item === same.items[place]) ? same : { items: own };
  });
}

/** The keys of rows. A file from elsewhere may give two rows one number: the second is told apart by its place. */
export function keysOf<T>(items: readonly T[], key: (item: T) => string | number): readonly (string | number)[] {
  const taken = new Set<string | number>();
  return items.map((item, place) => {
    let told = key(item);
    while (taken.has(told)) told = `${told} at ${place}`;
    taken.add(told);
    return told;
  });
}
