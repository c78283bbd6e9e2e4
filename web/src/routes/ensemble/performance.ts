/** The order in which a session is performed on a stage, and how much of a line is heard at a moment. */
import { place, TURNS, type EnsembleView, type Place, type Recorded, type Spoken } from "../../folds/ensemble";

export interface StageLine {
  readonly at: Place;
  readonly spoken: Spoken;
  readonly recorded: Recorded | null;
}

/** The lines that can be performed now, turn by turn and slot by slot, up to the first that is still to come. */
export function programme(view: EnsembleView): StageLine[] {
  const lines: StageLine[] = [];
  for (const turn of TURNS) {
    for (const { slotId } of view.opened?.cast ?? []) {
      const at = place(turn, slotId);
      const spoken = view.lines.get(at);
      if (spoken && isReady(view, at)) lines.push({ at, spoken, recorded: view.recorded.get(at) ?? null });
      else if (isExpected(view, turn, at)) return lines;
    }
  }
  return lines;
}

function isReady(view: EnsembleView, at: Place): boolean {
  return !view.opened?.audio || view.recorded.has(at) || view.unspoken.has(at) || view.ended !== null;
}

/** Whether something may still come of a place. */
function isExpected(view: EnsembleView, turn: 1 | 2 | 3, at: Place): boolean {
  if (view.ended || view.stopped || view.failures.has(at)) return false;
  return view.lines.has(at) || !["texts_in", "audio_in", "skipped"].includes(view.turns[turn]);
}

/** Where a recording is. */
export const source = (path: string): string => `/v1/audio/${path.split("/").map(encodeURIComponent).join("/")}`;

const SECONDS_PER_WORD = 0.34;
const LONGEST_BREATH = 1.2;

export function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** How long a line takes: as long as its recording, else as long as it is read. */
export function seconds({ spoken, recorded }: StageLine): number {
  if (recorded && !recorded.recording.silent) return recorded.recording.duration_ms / 1000;
  return words(spoken.text).length * SECONDS_PER_WORD + LONGEST_BREATH;
}

/** How many words of a line have begun after so many seconds. */
export function heard(line: StageLine, after: number): number {
  const all = words(line.spoken.text).length;
  const times = line.recorded?.recording.words ?? [];
  if (times.length === all) return times.filter(({ start }) => start <= after).length;
  const length = line.recorded ? seconds(line) : seconds(line) - LONGEST_BREATH;
  return Math.min(all, Math.max(0, Math.ceil((after / length) * all)));
}
