/** Hearing what is said as it comes: one sound after the other, the next one fetched while one is heard. */
import { reasonOf } from "../api/client";
import { say } from "../words/say";

/** Something that can be heard; null if it turns out that there is nothing to hear. */
export type Load = () => Promise<Blob | null>;

const WISH = "dramaturg.hearing";

interface Waiting {
  readonly id: string;
  readonly load: Load;
  loading?: Promise<Blob | null>;
}

const PATIENCE = 500;
let context: AudioContext | undefined;

/** Plays a sound to its end, or until `signal` ends it. Raises NotAllowedError if the browser waits for a click first. */
export async function playSound(sound: Blob, signal: AbortSignal): Promise<void> {
  context ??= new AudioContext();
  const node = context.createBufferSource();
  node.buffer = await context.decodeAudioData(await sound.arrayBuffer());
  node.connect(context.destination);
  await Promise.race([context.resume(), new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  if (context.state !== "running") throw new DOMException("The browser waits for a click.", "NotAllowedError");
  if (signal.aborted) return;
  const over = new Promise((resolve) => node.addEventListener("ended", resolve));
  signal.addEventListener("abort", () => node.stop(), { once: true });
  node.start();
  await over;
}

export class Hearing {
  on = $state(false);
  /** What is heard now. */
  now = $state<string | null>(null);
  /** Whether something is heard, fetched or waits for its turn. */
  busy = $state(false);
  /** Whether there was nothing to hear, because no voice speaks here. */
  silent = $state(false);
  problem = $state("");
  readonly #play: typeof playSound;
  readonly #known = new Set<string>();
  #queue: Waiting[] = [];
  #leave: AbortController | null = null;

  constructor(play = playSound) {
    this.#play = play;
  }

  /** What was there before is not heard: it begins with what comes next. */
  skip(id: string): void {
    this.#known.add(id);
  }

  /** To be heard after what waits already, once. While nobody listens, it is passed over. */
  add(id: string, load: Load): void {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    if (!this.on) return;
    this.#queue.push({ id, load });
    void this.#run();
  }

  /** The same, also if it was heard before. */
  again(id: string, load: Load): void {
    this.#known.delete(id);
    this.add(id, load);
  }

  start(): void {
    this.on = true;
    this.silent = false;
    this.problem = "";
  }

  stop(): void {
    this.on = false;
    this.#queue = [];
    this.#leave?.abort();
  }

  /** Keeps whether somebody listens, for what is played next in this tab. */
  remember(): void {
    sessionStorage.setItem(WISH, this.on ? "on" : "");
  }

  /** Whether somebody listened to what was played before. */
  get wished(): boolean {
    return sessionStorage.getItem(WISH) === "on";
  }

  async #run(): Promise<void> {
    if (this.#leave) return;
    const leave = (this.#leave = new AbortController());
    this.busy = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const sound = await (next.loading ??= next.load());
        if (leave.signal.aborted) break;
        this.#fetchAhead();
        this.silent = sound === null;
        this.now = next.id;
        if (sound) await this.#play(sound, leave.signal);
        if (leave.signal.aborted) break;
      }
    } catch (error) {
      const refused = error instanceof DOMException && error.name === "NotAllowedError";
      this.problem = refused ? say("hear.refused") : reasonOf(error);
      this.stop();
    } finally {
      this.now = null;
      this.#leave = null;
      this.busy = this.#queue.length > 0;
    }
    if (this.busy) void this.#run();
  }

  #fetchAhead(): void {
    const [next] = this.#queue;
    if (!next || next.loading) return;
    next.loading = next.load();
    next.loading.catch(() => null); // it is told when it is that one's turn
  }
}
