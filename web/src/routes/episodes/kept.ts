/** What was typed into an episode's file and is not saved yet, kept in this browser over a reload or a closed window. */
import type { Schemas } from "../../api/client";
import { Drafts, type Draft } from "../../parts/drafts";
import { Windows, WINDOW } from "../../parts/windows";

type Source = Pick<Schemas["EpisodeSource"], "text" | "digest">;
const PREFIX = "dramaturg.episode";

export class KeptText {
  readonly #drafts: Drafts;
  readonly #windows: Windows;

  constructor(
    readonly episode: string,
    storage: Storage,
    window = WINDOW,
  ) {
    this.#drafts = new Drafts(storage, window, PREFIX);
    this.#windows = new Windows(window, `${PREFIX}/${episode}`, nothing, nothing);
  }

  /** The newest text of a window that is gone, if it says something else than the file; from now on it is this window's. */
  async take(now: Source): Promise<Draft | null> {
    const others = await this.#windows.others();
    const left = this.#drafts.of(this.episode).filter(({ window }) => !others.has(window));
    const [newest] = left.filter(({ text }) => text !== now.text);
    for (const draft of left) if (draft === newest || draft.text === now.text) this.#drafts.drop(this.episode, draft.window);
    if (newest) this.#drafts.keep(this.episode, newest.text, newest.base, newest.digest);
    return newest ?? null;
  }

  keep(text: string, saved: Source, at = Date.now()): void {
    if (text === saved.text) this.drop();
    else this.#drafts.keep(this.episode, text, saved.text, saved.digest, at);
  }

  drop(): void {
    this.#drafts.drop(this.episode);
  }

  close(): void {
    this.#windows.close();
  }
}

function nothing(): void {
  return;
}
