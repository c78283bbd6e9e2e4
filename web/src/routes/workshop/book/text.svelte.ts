/** A page or a scene that is being written: what is typed, what is saved, and what happens when both differ. */
import { at, get, put, reasonOf, ServerError, type Schemas } from "../../../api/client";
import { Drafts, type Draft } from "../../../parts/drafts";
import { Windows, WINDOW } from "../../../parts/windows";
import { bothOf } from "./merge";

export type Kind = "page" | "scene";
export type Standing = "saved" | "unsaved" | "saving" | "failed" | "conflict";
type PageText = Schemas["PageText"];

const PAUSE = 200;

/** Where the server has a page or a scene. */
export function addressOf(base: string, kind: Kind, name: string): string {
  return at(`${base}/${kind === "page" ? "bible" : "manuscript/scenes"}`, name);
}

export class OpenText {
  /** What stands in the editor. */
  text = $state("");
  /** The saved text that it was typed over. */
  saved = $state.raw<PageText>();
  /** The file as somebody else has written it meanwhile. */
  theirs = $state.raw<{ text: string; digest: string } | null>(null);
  problem = $state("");
  act = $state("");
  saving = $state(false);
  /** Other windows have it open; this browser has no room for a draft; when the draft on the page was typed. */
  others = $state(0);
  homeless = $state(false);
  restored = $state(0);
  /** Drafts of windows that are gone, beside the one on the page. */
  older = $state.raw<readonly Draft[]>([]);

  private readonly address: string;
  private readonly drafts: Drafts;
  private readonly windows: Windows;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(base: string, kind: Kind, private readonly name: string, storage: Storage, window = WINDOW) {
    this.address = addressOf(base, kind, name);
    this.drafts = new Drafts(storage, window);
    this.windows = new Windows(window, this.address, () => void this.look(), () => (this.others += 1));
  }

  get standing(): Standing {
    if (this.theirs) return "conflict";
    if (this.saving) return "saving";
    if (this.text === this.saved?.text) return "saved";
    return this.problem ? "failed" : "unsaved";
  }

  /** `fresh` is a file that need not exist yet. */
  async open(fresh = false): Promise<this> {
    const [now, others] = await Promise.all([this.read(fresh), this.windows.others()]);
    this.saved = now;
    this.text = now.text;
    this.others = others.size;
    const left = this.drafts.of(this.address).filter(({ window }) => !others.has(window));
    for (const { window, text } of left) if (text === now.text) this.drafts.drop(this.address, window);
    const [newest, ...older] = left.filter(({ text }) => text !== now.text);
    this.older = older;
    if (newest) this.take(newest);
    return this;
  }

  private async read(fresh: boolean): Promise<PageText> {
    try {
      return await get<PageText>(this.address);
    } catch (error) {
      if (!fresh || !(error instanceof ServerError) || error.status !== 404) throw error;
      return { name: this.name, path: String(error.context.path ?? ""), title: "", text: "", digest: "", words: 0 };
    }
  }

  /** Goes on with a draft of a window that is gone. */
  take(draft: Draft): void {
    const now = this.saved;
    if (!now) return;
    this.text = draft.text;
    this.restored = draft.at;
    if (draft.digest !== now.digest) {
      this.theirs = { text: now.text, digest: now.digest };
      this.saved = { ...now, text: draft.base, digest: draft.digest };
    }
    this.drafts.keep(this.address, draft.text, draft.base, draft.digest);
    this.drop(draft);
  }

  drop(draft: Draft): void {
    if (draft.window !== this.drafts.window) this.drafts.drop(this.address, draft.window);
    this.older = this.older.filter(({ window }) => window !== draft.window);
  }

  /** Called with every change: the draft is kept a moment later, and at once when the page goes away. */
  typed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), PAUSE);
  }

  keep(): void {
    clearTimeout(this.timer);
    const now = this.saved;
    if (!now) return;
    if (this.text === now.text && !this.theirs) {
      this.drafts.drop(this.address);
      this.homeless = false;
    } else this.homeless = !this.drafts.keep(this.address, this.text, now.text, now.digest);
  }

  async save(): Promise<void> {
    const now = this.saved;
    if (!now || this.saving || this.theirs || this.text === now.text) return;
    const sent = this.text;
    this.keep();
    this.saving = true;
    this.problem = "";
    try {
      const done = await put<Schemas["PageSaved"]>(this.address, { text: sent, digest: now.digest });
      this.settle(done);
      if (this.text === sent) this.text = done.text;
      this.act = done.act;
      this.windows.tell("saved");
    } catch (error) {
      if (error instanceof ServerError && error.code === "FILE_CHANGED") this.clash(error.context);
      else this.problem = reasonOf(error);
    } finally {
      this.saving = false;
      this.keep();
    }
  }

  /** Nothing was typed here: the words of the file. */
  discard(): void {
    if (this.saved) this.text = this.saved.text;
    this.restored = 0;
    this.problem = "";
    this.keep();
  }

  /** Saves what stands in the editor over what somebody else has written. */
  async keepMine(): Promise<void> {
    this.agree();
    await this.save();
  }

  keepTheirs(): void {
    this.text = this.theirs?.text ?? this.text;
    this.agree();
  }

  /** Puts both into the editor, to be looked at and saved. Returns how many places clash. */
  keepBoth(): number {
    const merged = bothOf(this.saved?.text ?? "", this.text, this.theirs?.text ?? "");
    this.text = merged.text;
    this.agree();
    return merged.clashes;
  }

  close(): void {
    this.keep();
    this.windows.close();
  }

  private agree(): void {
    if (this.saved && this.theirs) this.saved = { ...this.saved, ...this.theirs };
    this.theirs = null;
    this.restored = 0;
    this.keep();
  }

  private clash(context: Readonly<Record<string, unknown>>): void {
    this.theirs = { text: String(context.text ?? ""), digest: String(context.digest ?? "") };
  }

  private settle(now: PageText): void {
    this.saved = now;
    this.restored = 0;
  }

  /** Another window has saved the page: take its words, unless something else was typed here. */
  async look(): Promise<void> {
    try {
      const now = await get<PageText>(this.address);
      if (now.digest === this.saved?.digest) return;
      if (this.text === this.saved?.text) {
        this.settle(now);
        this.text = now.text;
      } else this.theirs = { text: now.text, digest: now.digest };
      this.keep();
    } catch {
      // reason: the next save of this window finds out by the digest
    }
  }
}
