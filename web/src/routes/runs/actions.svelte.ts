/** What is done with runs from their list: stopped, resumed, and deleted after a moment in which that can be taken back. */
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { at, post, reasonOf, remove, type RunSummary } from "../../api/client";

export type Action = "stop" | "resume" | "delete";
type Listed = Pick<RunSummary, "run" | "kind" | "status">;

/** How long a deletion can be taken back. */
export const PAUSE = 8000;
/** The Foreman's talk is the memory of a book: it goes on in the Workshop, and is not deleted with a click. */
const RESTING = ["foreman"];

export function actionsOf({ kind, status }: Pick<Listed, "kind" | "status">): readonly Action[] {
  if (status === "playing") return ["stop"];
  if (RESTING.includes(kind)) return [];
  return status === "stopped" || status === "failed" ? ["resume", "delete"] : ["delete"];
}

/** What the server is asked for. */
export interface RunServer {
  stop(run: string): Promise<Pick<RunSummary, "status">>;
  resume(run: string): Promise<Pick<RunSummary, "status">>;
  remove(run: string): Promise<void>;
}

/** What was done last: with which run, and how it stands now, unless it is gone or the same. */
export interface Done {
  readonly run: string;
  readonly status?: RunSummary["status"];
}

/**
 * What is under way, whichever page is shown. Nothing is sent before the moment is over, so a studio that is closed or
 * loaded anew in it has deleted nothing.
 */
export class RunActions {
  readonly #server: RunServer;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Runs that will be deleted, and those that are gone while a list may still have them. */
  readonly leaving = new SvelteSet<string>();
  readonly gone = new SvelteSet<string>();
  readonly busy = new SvelteSet<string>();
  /** Why something could not be done, by run. */
  readonly problems = new SvelteMap<string, string>();
  /** Whoever shows a list reads it again after each. */
  last = $state.raw<Done | null>(null);

  constructor(server: RunServer) {
    this.#server = server;
  }

  async take(action: Action, runs: readonly Listed[]): Promise<void> {
    const able = runs.filter((run) => actionsOf(run).includes(action) && !this.leaving.has(run.run) && !this.busy.has(run.run));
    if (action === "delete") for (const { run } of able) this.#leave(run);
    else for (const { run } of able) await this.#try(run, () => this.#server[action](run));
  }

  undo(runs: readonly string[]): void {
    for (const run of runs) {
      clearTimeout(this.#timers.get(run));
      this.#timers.delete(run);
      this.leaving.delete(run);
    }
  }

  #leave(run: string): void {
    this.problems.delete(run);
    this.leaving.add(run);
    this.#timers.set(run, setTimeout(() => void this.#delete(run), PAUSE));
  }

  async #delete(run: string): Promise<void> {
    this.#timers.delete(run);
    await this.#try(run, async () => {
      await this.#server.remove(run);
      this.gone.add(run);
    });
    this.leaving.delete(run);
  }

  async #try(run: string, ask: () => Promise<Pick<RunSummary, "status"> | void>): Promise<void> {
    this.problems.delete(run);
    this.busy.add(run);
    let done: Done = { run };
    try {
      const { status } = (await ask()) ?? {};
      if (status) done = { run, status };
    } catch (error) {
      this.problems.set(run, reasonOf(error));
    }
    this.busy.delete(run);
    this.last = done;
  }
}

export const actions = new RunActions({
  stop: (run) => post(at("/v1/runs", run, "cancel")),
  resume: (run) => post(at("/v1/runs", run, "resume")),
  remove: (run) => remove(at("/v1/runs", run)),
});
