/** Two takes of a scene beside each other: the lines that both have in one row, those of one take beside those of the other. */
import { diffComm } from "node-diff3";
import type { Line } from "../../folds/scene";

export interface Row {
  readonly left: Line | null;
  readonly right: Line | null;
  readonly same: boolean;
}

export function aligned(left: readonly Line[], right: readonly Line[]): Row[] {
  const rows: Row[] = [];
  let [here, there] = [0, 0];
  for (const part of diffComm(left.map(keyOf), right.map(keyOf))) {
    if (part.common) {
      for (const _ of part.common) rows.push({ left: left[here++] ?? null, right: right[there++] ?? null, same: true });
    } else {
      const most = Math.max(part.buffer1?.length ?? 0, part.buffer2?.length ?? 0);
      const [ones, others] = [part.buffer1?.length ?? 0, part.buffer2?.length ?? 0];
      for (let at = 0; at < most; at += 1) {
        rows.push({ left: at < ones ? (left[here + at] ?? null) : null, right: at < others ? (right[there + at] ?? null) : null, same: false });
      }
      here += ones;
      there += others;
    }
  }
  return rows;
}

/** What makes two lines the same to whoever watches. */
export function keyOf(line: Line): string {
  return [line.kind, line.speaker, line.target ?? "", line.action, line.nonverbal ?? "", line.content].join("\u0000");
}
