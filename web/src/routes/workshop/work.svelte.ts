/** A long work that this page waits for. It goes on without the page, and is found again by its run. */
import { at, post, reasonOf, type Schemas } from "../../api/client";
import { follow, type Numbered } from "../../api/follow";

export class AwaitedWork {
  running = $state(false);
  problem = $state("");
  private leave = () => {};

  /** Starts a work and waits for it. Returns its run; empty if it could not be started. */
  async start(path: string, body: unknown, over: () => void): Promise<string> {
    this.problem = "";
    try {
      const { run } = await post<Schemas["RunReference"]>(path, body);
      this.follow(run, over);
      return run;
    } catch (error) {
      this.problem = reasonOf(error);
      return "";
    }
  }

  follow(run: string, over: () => void): void {
    this.leave();
    this.running = true;
    this.leave = follow<Numbered>(`${at("/v1/runs", run)}/events?audience=author`, {
      entries: () => {},
      connection: (now) => now === "over" && ((this.running = false), over()),
      failed: (error) => ((this.problem = error.message), (this.running = false)),
    });
  }

  close(): void {
    this.leave();
  }
}
