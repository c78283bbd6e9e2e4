/** The way to the server for a player: the same errors, and the player's token with every request. */
import { errorOf, unreachable, type ServerError } from "./client";

const TOKEN = "dramaturg.player";

/** What the browser keeps for a player. Where it keeps nothing (a frame, cookies refused), the page does. */
const kept = new Map<string, string>();

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? kept.get(key) ?? null;
  } catch {
    return kept.get(key) ?? null;
  }
}

export function keep(key: string, value: string | null): void {
  if (value === null) kept.delete(key);
  else kept.set(key, value);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // kept for as long as the page is open
  }
}

export function playerToken(): string | null {
  return recall(TOKEN);
}

export function keepToken(token: string): void {
  keep(TOKEN, token);
}

/** The player starts over, as somebody new. */
export function forgetToken(): void {
  keep(TOKEN, null);
}

/** Whether it is the token that was refused, so that the player has to start over. */
export function isTokenRefused({ code, context }: ServerError): boolean {
  return code.startsWith("PLAYER_TOKEN_") || context.header === "X-Player-Token";
}

/** An invitation is a link with the token behind the `#`, which no server and no log sees. */
export function acceptInvitation(): void {
  const invited = /^#invite=([\w.-]+)$/.exec(location.hash)?.[1];
  if (invited === undefined) return;
  keepToken(invited);
  history.replaceState(null, "", location.pathname + location.search);
}

export function playerHeaders(): Record<string, string> {
  const token = playerToken();
  return token === null ? {} : { "X-Player-Token": token };
}

let credentials: RequestCredentials = "omit";

/** The studio's own page: the author's login goes with what the author plays, and with nothing in the players' house. */
export function playAsAuthor(): void {
  credentials = "same-origin";
}

export const playerCredentials = (): RequestCredentials => credentials;

/** Whether whoever plays here is no author, and is told so. */
export const isPlayer = (): boolean => credentials === "omit";

async function send(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Response> {
  const headers: Record<string, string> = { ...playerHeaders(), ...more };
  const init: RequestInit = { method, headers, credentials };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw unreachable("error.server.player");
  }
  if (!response.ok) throw await errorOf(response, isPlayer());
  return response;
}

export async function ask<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
  const response = await send(method, path, body, headers);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** The token goes with the request, never with the address. */
export async function playerSound(path: string): Promise<Blob> {
  return (await send("GET", path)).blob();
}

/** Starts a turn. It is played whether or not somebody reads the answer, which comes with the session's own stream. */
export async function startTurn(path: string, body: unknown = {}): Promise<void> {
  const response = await send("POST", path, body);
  await response.body?.cancel();
}

/** An id that nobody can guess; also where the page was not opened over HTTPS. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
