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

export interface Numbered {
  readonly seq: number;
}

const COMPLETE = 204;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** Follow a stream until it ends or the returned function is called. */
export function follow<E extends Numbered>(
  path: string,
  follower: Follower<E>,
  wait = later,
  headers: Readonly<Record<string, string>> = {},
): () => void {
  const leave = new AbortController();
  void stream(path, follower, leave.signal, wait, headers);
  return () => leave.abort();
}

async function stream<E extends Numbered>(
  path: string,
  follower: Follower<E>,
  signal: AbortSignal,
  wait: typeof later,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  let last = 0;
  let pause = FIRST_WAIT;
  while (!signal.aborted) {
    follower.connection(last ? "waiting" : "connecting");
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream", ...more };
      if (last) headers["Last-Event-ID"] = String(last);
      const response = await fetch(path, { headers, signal, credentials: "same-origin" });
      if (response.status === COMPLETE) return follower.connection("over");
      if (!response.ok) {
        const error = await errorOf(response);
        if (error.code === UNAUTHORIZED) {
          await login.need();
          continue;
        }
        if (error.status < 500 && error.status !== 429) return follower.failed(error);
      } else if (response.body) {
        follower.connection("live");
        const take = (batch: readonly E[]) => {
          pause = FIRST_WAIT;
          follower.entries(batch);
        };
        last = await read(response.body, last, take, (data) => follower.preview?.(data));
      }
    } catch {
      if (signal.aborted) return;
    }
    follower.connection("waiting");
    await wait(pause, signal);
    pause = Math.min(2 * pause, LONGEST_WAIT);
  }
}

/** Reads to the end of a body and returns the number of the last entry. */
async function read<E extends Numbered>(
  body: ReadableStream<Uint8Array>,
  last: number,
  take: (batch: readonly E[]) => void,
  preview: (data: unknown) => void,
): Promise<number> {
  let batch: E[] = [];
  const parser = createParser({
    onEvent({ id, data }) {
      const said = JSON.parse(data) as E;
      if (id === undefined) return preview(said);
      const seq = Number(id);
      if (seq > last) {
        last = seq;
        batch.push({ ...said, seq });
      }
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return last;
      parser.feed(decoder.decode(value, { stream: true }));
      if (batch.length) take(batch);
      batch = [];
    }
  } catch {
    return last;
  }
}

function later(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
