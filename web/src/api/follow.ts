/** A run's events as they are written. Network loss costs nothing: it resumes after the last entry it was given. */
import { createParser } from "eventsource-parser";
import { errorOf, ServerError, UNAUTHORIZED } from "./client";
import { login } from "./login.svelte";

export type Connection = "connecting" | "live" | "waiting" | "over";

export interface Follower<E> {
  /** Entries in order, each once. Several at a time where several had come. */
  entries(batch: readonly E[]): void;
  connection(state: Connection): void;
  /** Something that is not stored and has no number: the words of a line while they are written. */
  preview?(data: unknown): void;
  /** The stream was refused for good; nothing more comes. */
  failed(error: ServerError): void;
}

/** An entry of a log has its number; other events have only their place in the stream. */
export interface Numbered {
  readonly seq?: number;
}

const COMPLETE = 204;
const NUMBER = /^\d+$/;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/**
 * Follow a stream until it ends or the returned function is called, from its beginning or `after` a place.
 *
 * With `headers`, such as a player's token, it is somebody else's stream: nothing of the author's goes with it, unless
 * `credentials` says so.
 */
export function follow<E extends Numbered>(
  path: string,
  follower: Follower<E>,
  wait = later,
  headers: Readonly<Record<string, string>> = {},
  after = "",
  credentials: RequestCredentials = Object.keys(headers).length ? "omit" : "same-origin",
): () => void {
  const leave = new AbortController();
  void stream(path, follower, leave.signal, wait, headers, after, credentials);
  return () => leave.abort();
}

async function stream<E extends Numbered>(
  path: string,
  follower: Follower<E>,
  signal: AbortSignal,
  wait: typeof later,
  more: Readonly<Record<string, string>>,
  after: string,
  credentials: RequestCredentials,
): Promise<void> {
  const reached: Reached = { id: after, seq: 0 };
  let pause = FIRST_WAIT;
  let connected = false;
  while (!signal.aborted) {
    follower.connection(connected ? "waiting" : "connecting");
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream", ...more };
      if (reached.id) headers["Last-Event-ID"] = reached.id;
      const response = await fetch(path, { headers, signal, credentials });
      if (response.status === COMPLETE) return follower.connection("over");
      if (!response.ok) {
        const error = await errorOf(response, credentials === "omit");
        if (error.code === UNAUTHORIZED && credentials === "same-origin") {
          await login.need();
          continue;
        }
        if (error.status < 500 && error.status !== 429) return follower.failed(error);
      } else if (response.body) {
        connected = true;
        follower.connection("live");
        const take = (batch: readonly E[]) => {
          pause = FIRST_WAIT;
          follower.entries(batch);
        };
        await read(response.body, reached, take, (data) => follower.preview?.(data));
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
  preview: (data: unknown) => void,
): Promise<void> {
  let batch: E[] = [];
  const parser = createParser({
    onEvent({ id, data }) {
      const said = JSON.parse(data) as E;
      if (id === undefined) return preview(said);
      const seq = NUMBER.test(id) ? Number(id) : null; // 17.52 is a place within an answer, and no number
      if (seq !== null && seq <= reached.seq) return;
      reached.seq = seq ?? reached.seq;
      reached.id = id;
      batch.push(seq === null ? said : { ...said, seq });
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
