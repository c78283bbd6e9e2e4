/** A performance as it stood after so many beats. */
import { isNewer, SCENE_KINDS } from "./newer";
import type { SceneEntry } from "./scene";

/** The entries of the first beats, and nothing of a later one. */
export function upTo(entries: readonly SceneEntry[], beats: number): readonly SceneEntry[] {
  const end = entries.findIndex(({ event }) => {
    if (isNewer(event, SCENE_KINDS)) return false;
    if (event.type === "line.spoken") return event.line.beat >= beats;
    return (event.type === "beat.played" || event.type === "beat.closed") && event.beat >= beats;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

export interface BeatShare {
  readonly beat: number;
  /** Words by display name, in the order of the cast. */
  readonly words: readonly number[];
}

interface Spoken {
  readonly beat: number;
  readonly speaker: string;
  readonly content: string;
}

const counted = new WeakMap<Spoken, number>();

/** How many words a line has. Lines never change, so each is counted once. */
export function wordsIn(line: Spoken): number {
  let count = counted.get(line);
  if (count === undefined) counted.set(line, (count = line.content.split(/\s+/).filter(Boolean).length));
  return count;
}

/** How many words each of the cast has said until the end of each beat. */
export function participation(lines: readonly Spoken[], names: readonly string[], beats: number): BeatShare[] {
  const said = Array.from({ length: beats }, () => names.map(() => 0));
  for (const line of lines) {
    const place = names.indexOf(line.speaker);
    const words = said[line.beat];
    if (words && place >= 0) words[place] = (words[place] ?? 0) + wordsIn(line);
  }
  const sums = names.map(() => 0);
  return said.map((words, beat) => {
    words.forEach((count, place) => (sums[place] = (sums[place] ?? 0) + count));
    return { beat: beat + 1, words: [...sums] };
  });
}
