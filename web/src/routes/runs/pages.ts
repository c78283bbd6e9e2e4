/** Where a run of each kind is looked at. */
import type { RunSummary } from "../../api/client";

const PAGES: Readonly<Record<string, (run: string) => string>> = {
  scene: (run) => `/scenes/${run}`,
  act: (run) => `/acts/${run}`,
  ensemble: (run) => `/ensemble/${run}`,
  episode: () => "/episodes",
  foreman: () => "/workshop",
  health: () => "/workshop/health",
  tournament: () => "/workshop/lineup",
  draft: () => "/workshop/drafts",
  scaffold: () => "/workshop/board",
  analysis: () => "/workshop/patches",
  enhancement: () => "/workshop/patches",
  retcon: () => "/workshop/patches",
};

/** The page that shows a run; empty if none does. */
export function pageOf({ kind, run }: Pick<RunSummary, "kind" | "run">): string {
  return PAGES[kind]?.(encodeURIComponent(run)) ?? "";
}
