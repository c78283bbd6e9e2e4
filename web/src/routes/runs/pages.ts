/** Where a run of each kind is looked at. */
import type { RunSummary, Schemas } from "../../api/client";

const PAGES: Readonly<Record<string, (run: string) => string>> = {
  scene: (run) => `/scenes/${run}`,
  act: (run) => `/acts/${run}`,
  ensemble: (run) => `/ensemble/${run}`,
  episode: () => "/episodes",
  rehearsal: (run) => `/episodes/rehearsals/${run}`,
  foreman: () => "/workshop",
  health: () => "/workshop/health",
  tournament: () => "/workshop/lineup",
  draft: () => "/workshop/drafts",
  scaffold: () => "/workshop/board",
  analysis: () => "/workshop/patches",
  enhancement: () => "/workshop/patches",
  retcon: () => "/workshop/patches",
  import: () => "/workshop/import",
};

/** What can be listed by itself; sessions belong to their players. */
export const KINDS = ["scene", "act", "why", "ensemble", "rehearsal", "foreman", "health", "drill", "consolidation", "tournament", "scaffold", "draft", "analysis", "enhancement", "retcon", "import"];
export const STATUSES = ["playing", "ended", "stopped", "failed"] as const;

/** A list with its newest page read again: what is older than that page stays, in the order of the ids. */
export function merged(shown: Schemas["RunList"], newest: Schemas["RunList"]): Schemas["RunList"] {
  const last = newest.runs.at(-1)?.run;
  if (!newest.next || last === undefined) return newest;
  const older = shown.runs.filter(({ run }) => run < last);
  return older.length ? { runs: [...newest.runs, ...older], next: shown.next ?? null } : newest;
}

/** A list with what is known of one run, wherever it stands. */
export function told(shown: Schemas["RunList"], { run, status }: { readonly run: string; readonly status?: RunSummary["status"] }): Schemas["RunList"] {
  return status ? { ...shown, runs: shown.runs.map((one) => (one.run === run ? { ...one, status } : one)) } : shown;
}

/** The page that shows a run; empty if none does. */
export function pageOf({ kind = "", run = "" }: Partial<Pick<RunSummary, "kind" | "run">>): string {
  return PAGES[kind]?.(encodeURIComponent(run)) ?? "";
}
