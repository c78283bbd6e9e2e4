/** A colour for each character, by its place in the cast; always beside its name. */
import type { CastMember } from "../../folds/scene";

const VOICES = 6;

export function voiceOf(cast: readonly CastMember[], speaker: string): string {
  const place = cast.findIndex((member) => member.displayName === speaker);
  return place < 0 ? "var(--soft)" : `var(--voice-${(place % VOICES) + 1})`;
}
