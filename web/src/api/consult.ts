/** A message to the Foreman and its answer as it streams. Network loss costs nothing: the turn goes on by itself. */
import { createParser } from "eventsource-parser";
import { errorOf, UNAUTHORIZED, unreachable } from "./client";
import { login } from "./login.svelte";
import type { Shown } from "../folds/turn";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Sends a message and gives every event of its turn once, until the turn is done. Raises what the server refuses. */
export async function consult(base: string, message: string, show: (event: Shown) => void, wait = sleep): Promise<void> {
  let last = "";
  let turn = 0;
  let done = false;
  const take = (event: Shown, id: string) => {
    last = id || last;
    turn = event.turn;
    done = done || event.event === "done";
    show(event);
  };
  let pause = FIRST_WAIT;
  while (!done) {
    try {
      const response = await (turn ? resume(base, turn, last) : send(base, message));
      if (!response.ok) {
        const error = await errorOf(response);
        if (error.code === UNAUTHORIZED) {
          await login.need();
          continue;
        }
        if (!turn || error.status < 500) throw new Refused(error.message);
      } else if (response.body) await read(response.body, take);
    } catch (error) {
      if (error instanceof Refused) throw error;
      if (!turn) throw unreachable();
    }
    if (done) return;
    await wait(pause);
    pause = Math.min(2 * pause, LONGEST_WAIT);
  }
}

/** The server does not take the message. */
export class Refused extends Error {}

function send(base: string, message: string): Promise<Response> {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  return fetch(`${base}/consult`, { method: "POST", headers, body: JSON.stringify({ message }), credentials: "same-origin" });
}

function resume(base: string, turn: number, last: string): Promise<Response> {
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (last) headers["Last-Event-ID"] = last;
  return fetch(`${base}/consultations/${turn}/events`, { headers, credentials: "same-origin" });
}

async function read(body: ReadableStream<Uint8Array>, take: (event: Shown, id: string) => void): Promise<void> {
  const parser = createParser({ onEvent: ({ id, data }) => take(JSON.parse(data) as Shown, id ?? "") });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
  }
}
