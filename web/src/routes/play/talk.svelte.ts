/** One conversation, open in the browser. What the player typed is kept until the server has it. */
import { at, ServerError, type Schemas } from "../../api/client";
import { follow, type Connection } from "../../api/follow";
import { ask, keep, newId, playerCredentials, playerHeaders, recall, startTurn } from "../../api/player";
import { asked, begun, fold, refreshed, said, type Session, type SessionView, type StreamEvent, type Unsent } from "../../folds/session";

const RETRY_MILLISECONDS = 3000;
/** No connection, nobody behind the proxy, or no store: it is the same message a moment later. */
const PASSING = [0, 502, 503, 504];

interface Sending extends Unsent {
  readonly choice?: string;
}

export class Talk {
  session = $state.raw<Session | null>(null);
  connection = $state<Connection>("connecting");
  problem = $state<ServerError | null>(null);
  /** Said, and not yet with the server: it is sent again when the connection is back. */
  unsent = $state.raw<Sending | null>(null);
  /** What the player typed and the server refused: it goes back to where it was typed. */
  returned = $state.raw<{ readonly text: string } | null>(null);

  readonly #base: string;
  readonly #draft: string;
  #leave = () => {};
  #sending = false;
  #again: ReturnType<typeof setTimeout> | undefined;
  readonly #online = () => void this.#send();

  constructor(readonly id: string) {
    this.#base = at("/v1/sessions", id);
    this.#draft = `dramaturg.unsent.${id}`;
  }

  /** Opens it, and returns what closes it. */
  open(): () => void {
    void this.#open();
    addEventListener("online", this.#online);
    return () => {
      this.#leave();
      clearTimeout(this.#again);
      removeEventListener("online", this.#online);
    };
  }

  async #open(): Promise<void> {
    this.problem = null;
    try {
      const view = await ask<SessionView>("GET", this.#base);
      this.session = begun(view);
      this.#follow(view.mark ?? "");
      this.#resume();
    } catch (error) {
      this.#refuse(error);
    }
  }

  #follow(after: string): void {
    this.#leave = follow<StreamEvent & { seq?: number }>(
      `${this.#base}/events`,
      {
        entries: (batch) => this.#take(batch),
        connection: (now) => {
          this.connection = now;
          if (now === "live") void this.#send();
        },
        failed: (error) => (this.problem = error),
      },
      undefined,
      playerHeaders(),
      after,
      playerCredentials(),
    );
  }

  #take(batch: readonly StreamEvent[]): void {
    if (!this.session) return;
    this.session = fold(batch, this.session);
    if (this.session.stale) void this.refresh();
  }

  async refresh(): Promise<void> {
    try {
      const view = await ask<SessionView>("GET", this.#base);
      if (this.session) this.session = refreshed(this.session, view, this.unsent);
    } catch (error) {
      this.#refuse(error);
    }
  }

  say(text: string): void {
    this.#queue({ text, id: newId() });
  }

  pick({ id, label }: Schemas["ShownChoice"]): void {
    this.#queue({ text: label, id: newId(), choice: id });
  }

  #queue(unsent: Sending): void {
    if (!this.session) return;
    this.problem = null;
    this.unsent = unsent;
    keep(this.#draft, JSON.stringify(unsent));
    this.session = said(this.session, unsent.text, unsent.id);
    void this.#send();
  }

  /** What was typed before the page was closed, and did not get through. */
  #resume(): void {
    const kept = recall(this.#draft);
    if (kept === null || !this.session) return;
    this.unsent = JSON.parse(kept) as Sending;
    this.session = said(this.session, this.unsent.text, this.unsent.id);
    void this.#send();
  }

  async #send(): Promise<void> {
    if (!this.unsent || this.#sending) return;
    const { text, id, choice } = this.unsent;
    clearTimeout(this.#again);
    this.#sending = true;
    try {
      if (choice === undefined) await startTurn(`${this.#base}/messages`, { text, client_id: id });
      else await startTurn(`${this.#base}/choices`, { choice, client_id: id });
      this.#sent();
    } catch (error) {
      if (error instanceof ServerError && PASSING.includes(error.status)) return this.#later();
      this.#sent();
      if (choice === undefined) this.returned = { text };
      this.#refuse(error);
      await this.refresh();
    } finally {
      this.#sending = false;
    }
  }

  /** Under the same id, so that it is never said twice. */
  #later(): void {
    this.#again = setTimeout(() => void this.#send(), RETRY_MILLISECONDS);
  }

  #sent(): void {
    this.unsent = null;
    keep(this.#draft, null);
  }

  /** Another answer in place of this one. */
  swipe(message: string): Promise<void> {
    return this.#turn(message, `messages/${encodeURIComponent(message)}/swipes`);
  }

  retry(): Promise<void> {
    return this.#turn(null, "retry");
  }

  goOn(): Promise<void> {
    return this.#turn(null, "continue");
  }

  async #turn(replaces: string | null, path: string): Promise<void> {
    if (!this.session) return;
    const before = this.session;
    this.problem = null;
    this.session = asked(before, replaces);
    try {
      await startTurn(`${this.#base}/${path}`);
    } catch (error) {
      this.session = before;
      this.#refuse(error);
    }
  }

  choose(message: string): Promise<void> {
    return this.#change("POST", `messages/${encodeURIComponent(message)}/choose`);
  }

  branch(message: string): Promise<void> {
    return this.#change("POST", "branches", { message_id: message });
  }

  setVoice(on: boolean): Promise<void> {
    return this.#change("PUT", "voice", { on });
  }

  async #change(method: string, path: string, body?: unknown): Promise<void> {
    this.problem = null;
    try {
      const view = await ask<SessionView>(method, `${this.#base}/${path}`, body);
      this.session = begun(view);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error: unknown): void {
    if (!(error instanceof ServerError)) throw error;
    this.problem = error;
  }
}
