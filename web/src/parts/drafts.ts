/** What was typed and not saved yet, kept in this browser. Each window keeps its own, so that none writes over another's. */

export interface Draft {
  /** The window that keeps it. */
  readonly window: string;
  readonly text: string;
  /** The saved text that it was typed over, and its digest. */
  readonly base: string;
  readonly digest: string;
  /** When it was kept, in milliseconds; a clock that is off changes only the order. */
  readonly at: number;
}

const BOOK = "dramaturg.book";

export class Drafts {
  constructor(
    private readonly storage: Storage,
    readonly window: string,
    private readonly prefix = BOOK,
  ) {}

  /** Keeps a draft of this window. False if the browser has no room for it. */
  keep(page: string, text: string, base: string, digest: string, at = Date.now()): boolean {
    try {
      this.storage.setItem(this.key(page, this.window), JSON.stringify({ window: this.window, text, base, digest, at } satisfies Draft));
      return true;
    } catch {
      return false;
    }
  }

  drop(page: string, window = this.window): void {
    this.storage.removeItem(this.key(page, window));
  }

  /** Every draft of a page, the newest first. One that cannot be read is left where it is. */
  of(page: string): Draft[] {
    const start = this.key(page, "");
    return this.keys()
      .filter((key) => key.startsWith(start))
      .flatMap((key) => readDraft(this.storage.getItem(key)))
      .sort((one, other) => other.at - one.at);
  }

  /** The pages that have a draft. */
  pages(): Set<string> {
    return new Set(this.keys().map((key) => decodeURIComponent(key.split("|")[1] ?? "")));
  }

  private keys(): string[] {
    return Object.keys(this.storage).filter((key) => key.startsWith(`${this.prefix}|`));
  }

  private key(page: string, window: string): string {
    return `${this.prefix}|${encodeURIComponent(page)}|${window}`;
  }
}

function readDraft(text: string | null): Draft[] {
  try {
    const read = JSON.parse(text ?? "") as Partial<Draft>;
    const { window, base, digest, at } = read;
    if (typeof read.text !== "string" || typeof window !== "string") return [];
    return [{ window, text: read.text, base: String(base ?? ""), digest: String(digest ?? ""), at: Number(at) || 0 }];
  } catch {
    return [];
  }
}
