/** What the first page shows of runs: what is playing, what that has cost so far, and what was played last. */
import { at, get, type RunSummary, type Schemas } from "../api/client";

const RECENT = 12;
const MOST_PLAYING = 50;

export interface Cost {
  readonly tokens: number;
  /** Null where a price is unknown. */
  readonly usd: number | null;
}

export interface HomeRunList {
  readonly playing: readonly RunSummary[];
  readonly recent: readonly RunSummary[];
}

export async function readRuns(): Promise<HomeRunList> {
  const [playing, newest] = await Promise.all([
    get<Schemas["RunList"]>(`/v1/runs?status=playing&limit=${MOST_PLAYING}`),
    get<Schemas["RunList"]>(`/v1/runs?limit=${RECENT}`),
  ]);
  const there = new Set(playing.runs.map(({ run }) => run));
  return { playing: playing.runs, recent: newest.runs.filter(({ run, status }) => status !== "playing" && !there.has(run)) };
}

/** What a run has cost; null where it cannot be had just now. */
export async function costOf(run: string): Promise<Cost | null> {
  try {
    return ownCost(await get<Schemas["CostTable"]>(at("/v1/runs", run, "costs")));
  } catch {
    return null;
  }
}

/** What a run has paid for itself: what a fork shares with its parent was paid for there. */
export function ownCost({ total, shared }: Pick<Schemas["CostTable"], "total" | "shared">): Cost {
  const tokens = total.inputTokens + total.outputTokens - shared.inputTokens - shared.outputTokens;
  return { tokens, usd: total.usd == null || shared.usd == null ? null : total.usd - shared.usd };
}
