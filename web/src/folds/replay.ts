/** A performance as it stood after so many beats. */
import type { SceneEntry } from "./scene";

/** The entries of the first beats, and nothing of a later one. */
export function upTo(entries: readonly SceneEntry[], beats: number): readonly SceneEntry[] {
  const end = entries.findIndex(({ event }) => {
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

/** How many words each of the cast has said until the end of each beat. */
export function participation(lines: readonly Spoken[], names: readonly string[], beats: number): BeatShare[] {
  const sums = names.map(() => 0);
  return Array.from({ length: beats }, (_, beat) => {
    for (const line of lines) {
      const place = line.beat === beat ? names.indexOf(line.speaker) : -1;
      if (place >= 0) sums[place] = (sums[place] ?? 0) + line.content.split(/\s+/).filter(Boolean).length;
    }
    return { beat: beat + 1, words: [...sums] };
  });
}
