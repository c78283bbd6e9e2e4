/** A scene's file that is being changed: what was read of it, what was typed before a reload, what somebody else has changed in it. */
import { at, get, put, ServerError, type Schemas } from "../../api/client";
import { KeptText } from "../../parts/kept";
import { readWritten } from "../../parts/written";
import { say } from "../../words/say";
import { draftOf, emptyDraft, over, sceneOf, type SceneDraft } from "./draft";
import { differences, sceneText, unseenKeys } from "./edits";

type Source = Schemas["SceneSource"];

export class EditedScene {
  readonly #address: string;
  readonly #kept: KeptText;
  #base = $state.raw<SceneDraft>(emptyDraft());
  source = $state.raw<Source | null>(null);
  /** The keys that somebody else has changed in the file; null if nobody has changed it. */
  changed = $state.raw<readonly string[] | null>(null);
  /** Whether what was typed before a reload is back. */
  back = $state(false);

  constructor(name: string, storage: Storage) {
    this.#address = at("/v1/scenes", name, "file");
    this.#kept = new KeptText("scene", name, storage);
  }

  get file(): string {
    return this.source?.file ?? "";
  }

  /** Why the file cannot be shown in fields; empty if it can. */
  get problem(): string {
    if (!this.source || this.source.problem) return this.source?.problem ?? "";
    return readWritten(this.source.text).tied ? say("compose.tied") : "";
  }

  /** What the file says besides what the form has fields for. */
  get unseen(): string[] {
    return unseenKeys(this.source?.text ?? "");
  }

  /** What the form begins with: the file, or what was typed over it and not saved. */
  async open(): Promise<SceneDraft> {
    const now = await this.#read();
    const digest = this.source?.digest ?? "";
    const typed = await this.#kept.take({ text: JSON.stringify(now), digest });
    if (!typed || this.problem) return now;
    this.back = true;
    if (typed.digest !== digest && this.source) {
      this.#base = JSON.parse(typed.base) as SceneDraft;
      this.source = { ...this.source, digest: typed.digest };
      this.changed = differences(sceneOf(this.#base), sceneOf(now));
    }
    return { ...emptyDraft(), ...(JSON.parse(typed.text) as SceneDraft) };
  }

  isNew(draft: SceneDraft): boolean {
    return JSON.stringify(sceneOf(draft)) !== JSON.stringify(sceneOf(this.#base));
  }

  isRenamed(draft: SceneDraft): boolean {
    return draft.name.trim() !== this.#base.name;
  }

  keep(draft: SceneDraft): void {
    const base = JSON.stringify(this.#base);
    this.#kept.keep(this.isNew(draft) ? JSON.stringify(draft) : base, { text: base, digest: this.source?.digest ?? "" });
  }

  /** Writes the file, and gives what it says then. A file that has changed stays as it is, and what was typed too. */
  async save(draft: SceneDraft): Promise<SceneDraft> {
    if (!this.source) return draft;
    const { text, digest, file } = this.source;
    try {
      const edit = { text: sceneText(text, sceneOf(this.#base), sceneOf(draft), file.endsWith(".json")), digest };
      return this.#opened(await put<Source>(this.#address, edit));
    } catch (error) {
      if (!(error instanceof ServerError && error.status === 409)) throw error;
      const { scene } = await get<Source>(this.#address);
      this.changed = scene ? differences(sceneOf(this.#base), sceneOf(draftOf(scene))) : [];
      return draft;
    }
  }

  /** What was typed is given up for the file as it is now. */
  theirs(): Promise<SceneDraft> {
    this.#kept.drop();
    return this.#read();
  }

  /** The file as it is now becomes the one to change; what was typed stays. */
  async mine(draft: SceneDraft): Promise<SceneDraft> {
    return over(draft, await this.#read());
  }

  drop(): void {
    this.#kept.drop();
  }

  close(): void {
    this.#kept.close();
  }

  async #read(): Promise<SceneDraft> {
    return this.#opened(await get<Source>(this.#address));
  }

  #opened(source: Source): SceneDraft {
    this.source = source;
    this.#base = source.scene ? draftOf(source.scene) : emptyDraft();
    this.changed = null;
    this.back = false;
    return source.scene ? draftOf(source.scene) : emptyDraft();
  }
}
