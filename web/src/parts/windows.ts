/** The other windows of this browser that have the same page open: who they are, and when one saves. */

/** One name for each load of the studio; a window that is gone never answers by it. */
export const WINDOW = Math.random().toString(36).slice(2);

type Message = { readonly kind: "ask" | "here" | "saved"; readonly page: string; readonly from: string };

const CHANNEL = "dramaturg.book";
/** A window that is open answers long before that. */
const PATIENCE = 200;

export class Windows {
  private readonly channel: BroadcastChannel | null;
  private readonly heard = new Set<string>();

  constructor(
    readonly own: string,
    readonly page: string,
    private readonly saved: () => void,
    private readonly joined: () => void,
  ) {
    this.channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(CHANNEL);
    this.channel?.addEventListener("message", (event: MessageEvent<Message>) => this.hear(event.data));
  }

  /** The windows that have this page open. */
  async others(): Promise<ReadonlySet<string>> {
    this.tell("ask");
    if (this.channel) await new Promise((done) => setTimeout(done, PATIENCE));
    return this.heard;
  }

  tell(kind: Message["kind"]): void {
    this.channel?.postMessage({ kind, page: this.page, from: this.own } satisfies Message);
  }

  close(): void {
    this.channel?.close();
  }

  private hear({ kind, page, from }: Message): void {
    if (page !== this.page || from === this.own) return;
    this.heard.add(from);
    if (kind === "ask") {
      this.tell("here");
      this.joined();
    }
    if (kind === "saved") this.saved();
  }
}
