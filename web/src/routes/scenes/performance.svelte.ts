/** A scene as this page follows it: live, or as it stood after an earlier beat. */
import type { Schemas } from "../../api/client";
import { follow, type Connection } from "../../api/follow";
import { upTo } from "../../folds/replay";
import { withNextFrame } from "../../parts/idle";
import { fold, NOTHING_YET, type SceneEntry, type SceneView } from "../../folds/scene";

export type Preview = Schemas["LinePreview"];

export class FollowedScene {
  /** Everything so far. */
  live = $state.raw<SceneView>(NOTHING_YET);
  connection = $state<Connection>("connecting");
  problem = $state("");
  /** The beats that are shown; null for all of them as they are played. */
  at = $state<number | null>(null);
  #entries: SceneEntry[] = [];
  #previews = $state.raw<readonly Preview[]>([]);

  shown = $derived.by<SceneView>(() => {
    const now = this.live;
    return this.at === null ? now : fold(upTo(this.#entries, this.at));
  });
  /** Lines that are being written, while the scene is followed live. */
  previews = $derived(this.at === null ? this.#previews.filter((one) => one.text && one.beat >= this.live.beat) : []);
  over = $derived(this.live.ended !== null || this.live.stopped !== null);

  /** Follow a run; what comes is told to `arrived` before and after it is shown. */
  follow(base: string, arrived: () => () => void): () => void {
    this.live = NOTHING_YET;
    this.#entries = [];
    this.at = null;
    this.problem = "";
    let come: SceneEntry[] = [];
    let cancel: (() => void) | null = null;
    const show = () => {
      cancel = null;
      if (!come.length) return;
      const then = arrived();
      for (const entry of come) this.#entries.push(entry);
      this.live = fold(come, this.live);
      this.#previews = this.#previews.filter((one) => one.beat >= this.live.beat);
      come = [];
      then();
    };
    const leave = follow<SceneEntry>(`${base}/events?audience=author&previews=true`, {
      // What comes is shown at once; a long log comes in a hundred parts, and is shown once for each frame.
      entries: (batch) => {
        come.push(...batch);
        if (cancel) return;
        show();
        cancel = withNextFrame(show);
      },
      preview: (data) => {
        const one = data as Preview;
        this.#previews = [...this.#previews.filter((other) => other.character !== one.character), one];
      },
      connection: (now) => (this.connection = now),
      failed: (error) => (this.problem = error.message),
    });
    return () => (cancel?.(), leave());
  }
}
