/** A lorebook that is open in a page: typed, tried, kept over a reload, saved over what was read. */
import { get, post, put, reasonOf, ServerError, type Schemas } from "../../api/client";
import { added, countsOf, draftsOf, editOf, isChanged, moved, rebased, type Book, type Draft, type Field, type Fields, type Problem } from "./lore";

type Outcome = Schemas["LoreOutcome"];
interface Kept {
  readonly book: Book;
  readonly drafts: Draft[];
  readonly name?: string;
}

export class OpenLore {
  book: Book = $state.raw({ name: "", file: "", form: "card", digest: "", entries: [] });
  drafts: Draft[] = $state.raw([]);
  /** What the book shall be called. */
  name = $state("");
  line = $state("");
  outcomes: readonly Outcome[] = $state.raw([]);
  problems: readonly Problem[] = $state.raw([]);
  problem = $state("");
  theirs: Book | null = $state.raw(null);
  restored = $state(false);
  saved: ReturnType<typeof countsOf> | null = $state.raw(null);

  readonly counts = $derived(countsOf(this.book, this.drafts, this.name));
  readonly changed = $derived(isChanged(this.counts));
  /** The entries that will be there, in their order: the server counts these. */
  readonly staying = $derived(this.drafts.filter(({ removed }) => !removed));

  constructor(
    readonly base: string,
    private readonly store: Storage,
  ) {}

  async open(): Promise<void> {
    const now = await get<Book>(this.base);
    const kept = this.kept();
    this.take(kept?.book ?? now, kept?.drafts, kept?.name);
    this.restored = !!kept;
    if (kept && kept.book.digest !== now.digest) this.theirs = now;
  }

  rename(name: string): void {
    this.name = name;
    this.typed(this.drafts);
  }

  set(key: number, field: Field, value: Fields[Field]): void {
    this.edit(key, ({ fields, ...rest }) => ({ ...rest, fields: { ...fields, [field]: value } }));
  }

  remove(key: number, removed: boolean): void {
    if (removed && this.drafts.some((one) => one.key === key && one.at === null)) this.typed(this.drafts.filter((one) => one.key !== key));
    else this.edit(key, (draft) => ({ ...draft, removed }));
  }

  move(key: number, by: -1 | 1): void {
    this.typed(moved(this.drafts, key, by));
  }

  /** A new entry at the end; the answer is its key. */
  add(): number {
    this.typed(added(this.book, this.drafts));
    return this.drafts.at(-1)?.key ?? 0;
  }

  discard(): void {
    this.take(this.book);
  }

  /** Tries the line on what was typed, and learns what is wrong with it. */
  async try(): Promise<void> {
    if (!this.drafts.length || this.theirs) return void (this.outcomes = []);
    const draft = editOf(this.book, this.drafts);
    try {
      const tried = await post<Schemas["LoreTrialResult"]>(`${this.base}/try`, { text: this.line || " ", draft });
      this.outcomes = tried.outcomes;
      this.problems = tried.problems;
      this.problem = "";
    } catch (error) {
      await this.failed(error);
    }
  }

  async save(): Promise<boolean> {
    if (!this.changed) return false;
    const counts = this.counts;
    try {
      this.take(await put<Book>(this.base, editOf(this.book, this.drafts, this.name)));
      this.saved = counts;
      return true;
    } catch (error) {
      await this.failed(error);
      return false;
    }
  }

  keepTheirs(): void {
    if (this.theirs) this.take(this.theirs);
  }

  /** My changes over theirs, to be looked at and saved. */
  keepBoth(): void {
    if (this.theirs) {
      if (!this.counts.renamed) this.name = this.theirs.name;
      this.typed(rebased(this.book, this.theirs, this.drafts), this.theirs);
    }
    this.theirs = null;
    this.problem = "";
  }

  /** What stands at a field of an entry. */
  problemAt(key: number, field: Field): string {
    return this.problems.find((one) => one.field === field && this.staying[one.entry]?.key === key)?.problem ?? "";
  }

  hasProblem(key: number): boolean {
    return this.problems.some((one) => this.staying[one.entry]?.key === key);
  }

  outcome(key: number): Outcome | undefined {
    return this.line ? this.outcomes.find((one) => this.staying[one.entry]?.key === key) : undefined;
  }

  private async failed(error: unknown): Promise<void> {
    const problems = error instanceof ServerError && error.status === 422 ? error.context.problems : null;
    this.problems = Array.isArray(problems) ? (problems as Problem[]) : [];
    this.problem = reasonOf(error);
    if (error instanceof ServerError && error.status === 409) this.theirs = await get<Book>(this.base);
  }

  private edit(key: number, change: (draft: Draft) => Draft): void {
    this.typed(this.drafts.map((one) => (one.key === key ? change(one) : one)));
  }

  private typed(drafts: Draft[], book: Book = this.book): void {
    this.book = book;
    this.drafts = drafts;
    this.saved = null;
    if (this.changed) this.write({ book, drafts, name: this.name });
    else this.store.removeItem(this.slot);
  }

  private take(book: Book, drafts: Draft[] = draftsOf(book), name = book.name): void {
    this.book = book;
    this.drafts = drafts;
    this.name = name;
    this.theirs = this.saved = null;
    this.restored = false;
    this.problems = [];
    this.problem = "";
    if (!this.changed) this.store.removeItem(this.slot);
  }

  private get slot(): string {
    return `dramaturg.lore ${this.base}`;
  }

  private kept(): Kept | null {
    const text = this.store.getItem(this.slot);
    return text ? (JSON.parse(text) as Kept) : null;
  }

  private write(kept: Kept): void {
    try {
      this.store.setItem(this.slot, JSON.stringify(kept));
    } catch {
      this.store.removeItem(this.slot); // a book that is too large for it
    }
  }
}
