/** Which line of an audio play is heard at a moment. */
export interface Heard {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The number of the line that is heard; of two that overlap the one that began last. 0 in a pause and for the narrator's. */
export function heardAt(passages: readonly Heard[], ms: number): number {
  const now = passages.filter(({ startMs, endMs }) => startMs <= ms && ms < endMs).at(-1);
  return Number(now?.id ?? 0) || 0;
}
