/** A run's events as they are written. Network loss costs nothing: it resumes after the last entry it was given. */
import { createParser } from "eventsource-parser";
import { errorOf, ServerError } from "./client";

export type Connection = "connecting" | "live" | "waiting" | "over";

export interface Follower<E> {
  /** Entries in order, each once. Several at a time where several had come. */
  entries(batch: readonly E[]): void;
  connection(state: Connection): void;
  /** The stream was refused for good; nothing more comes. */
  failed(error: ServerError): void;
}

/** An entry of a log has its number; other events have only their place in the stream. */
export interface Numbered {
  readonly seq?: number;
}

export interface FollowOptions {
  /** Sent with each request, such as a player's token. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Begin after this place instead of at the beginning. */
  readonly after?: string;
}

const COMPLETE = 204;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** Follow a stream until it ends or the returned function is called. */
export function follow<E extends Numbered>(
  path: string,
  follower: Follower<E>,
  wait = later,
  options: FollowOptions = {},
): () => void {
  const leave = new AbortController();
  void stream(path, follower, leave.signal, wait, options);
  return () => leave.abort();
}

async function stream<E extends Numbered>(
  path: string,
  follower: Follower<E>,
  signal: AbortSignal,
  wait: typeof later,
  options: FollowOptions,
): Promise<void> {
  const reached: Reached = { id: options.after ?? "", seq: 0 };
  let pause = FIRST_WAIT;
  let connected = false;
  while (!signal.aborted) {
    follower.connection(connected ? "waiting" : "connecting");
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream", ...options.headers?.() };
      if (reached.id) headers["Last-Event-ID"] = reached.id;
      const response = await fetch(path, { headers, signal, credentials: "same-origin" });
      if (response.status === COMPLETE) return follower.connection("over");
      if (!response.ok) {
        const error = await errorOf(response);
        if (error.status < 500 && error.status !== 429) return follower.failed(error);
      } else if (response.body) {
        connected = true;
        follower.connection("live");
        await read(response.body, reached, (batch: readonly E[]) => {
          pause = FIRST_WAIT;
          follower.entries(batch);
        });
      }
    } catch {
      if (signal.aborted) return;
    }
    follower.connection("waiting");
    await wait(pause, signal);
    pause = Math.min(2 * pause, LONGEST_WAIT);
  }
}

/** How far a stream was read: the place to resume at, and the number of the last entry. */
interface Reached {
  id: string;
  seq: number;
}

/** Reads to the end of a body. */
async function read<E extends Numbered>(
  body: ReadableStream<Uint8Array>,
  reached: Reached,
  take: (batch: readonly E[]) => void,
): Promise<void> {
  let batch: E[] = [];
  const parser = createParser({
    onEvent({ id, data }) {
      const entry = JSON.parse(data) as E;
      if (entry.seq !== undefined && entry.seq <= reached.seq) return;
      reached.seq = entry.seq ?? 0;
      reached.id = id ?? reached.id;
      batch.push(entry);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (batch.length) take(batch);
      batch = [];
    }
  } catch {
    return; // the connection broke; what was read counts
  }
}

function later(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
