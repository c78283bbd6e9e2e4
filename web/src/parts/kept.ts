/** What was typed over a file and is not saved yet, kept in this browser over a reload or a closed window. */
import { Drafts, type Draft } from "./drafts";
import { Windows, WINDOW } from "./windows";

/** What was read of a file. */
interface Source {
  readonly text: string;
  readonly digest: string;
}

export class KeptText {
  readonly #drafts: Drafts;
  readonly #windows: Windows;

  constructor(
    kind: "episode" | "scene",
    readonly name: string,
    storage: Storage,
    window = WINDOW,
  ) {
    const prefix = `dramaturg.${kind}`;
    this.#drafts = new Drafts(storage, window, prefix);
    this.#windows = new Windows(window, `${prefix}/${name}`, nothing, nothing);
  }

  /** The newest text of a window that is gone, if it says something else than the file; from now on it is this window's. */
  async take(now: Source): Promise<Draft | null> {
    const others = await this.#windows.others();
    const left = this.#drafts.of(this.name).filter(({ window }) => !others.has(window));
    const [newest] = left.filter(({ text }) => text !== now.text);
    for (const draft of left) if (draft === newest || draft.text === now.text) this.#drafts.drop(this.name, draft.window);
    if (newest) this.#drafts.keep(this.name, newest.text, newest.base, newest.digest);
    return newest ?? null;
  }

  keep(text: string, saved: Source, at = Date.now()): void {
    if (text === saved.text) this.drop();
    else this.#drafts.keep(this.name, text, saved.text, saved.digest, at);
  }

  drop(): void {
    this.#drafts.drop(this.name);
  }

  close(): void {
    this.#windows.close();
  }
}

function nothing(): void {
  return;
}
