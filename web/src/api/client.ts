/** The one way to the server: JSON in, JSON out, and an error that a page can show. */
import { say } from "../words/say";
import { login } from "./login.svelte";
import { told } from "./told";
import type { components } from "./schema";

export type Schemas = components["schemas"];
export type RunSummary = Schemas["RunSummary"];
export type RunDetail = Schemas["RunDetail"];
export type SceneListing = Schemas["SceneListing"];

/** What the server says when it does not do what was asked; `status` is 0 if it could not be reached. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly context: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** Why something failed, in a sentence for the page. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const UNAUTHORIZED = "UNAUTHORIZED";

/** Nobody answers. `word` is the sentence that fits whoever asked. */
export function unreachable(word: "error.server" | "error.server.player" = "error.server"): ServerError {
  return new ServerError(0, "UNREACHABLE", say(word));
}

/** How many milliseconds a page waits for what it shows, before it says what it waits for. */
const PATIENCE = 45_000;

async function request(method: string, path: string, body?: unknown, signal?: AbortSignal, patience?: number): Promise<Response> {
  const file = body instanceof Blob;
  const form = body instanceof FormData; // the browser names its kind, with the border between its parts
  const kind = file ? "application/octet-stream" : "application/json";
  const init: RequestInit = { method, headers: body === undefined || form ? {} : { "Content-Type": kind }, credentials: "same-origin" };
  if (body !== undefined) init.body = file || form ? body : JSON.stringify(body);
  const slow = patience ? AbortSignal.timeout(patience) : undefined;
  if (signal ?? slow) init.signal = AbortSignal.any([signal, slow].filter((one) => one !== undefined));
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw slow?.aborted ? new ServerError(0, "SLOW", say("error.slow", { path })) : unreachable();
  }
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.code !== UNAUTHORIZED) throw error;
  await login.need();
  return request(method, path, body, signal, patience);
}

/** What the server says, in the reader's language. A player is told what a player can do. */
export async function errorOf(response: Response, toPlayer = false): Promise<ServerError> {
  const { status } = response;
  try {
    const { error } = (await response.json()) as Schemas["ErrorBody"];
    return new ServerError(status, error.code, await told(error, toPlayer), error.context ?? {});
  } catch {
    return new ServerError(status, "UNREADABLE", say("error.status", { status }));
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await request("GET", path, undefined, signal, PATIENCE)).json()) as T;
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return (await (await request("POST", path, body)).json()) as T;
}

export async function upload<T>(path: string, file: Blob): Promise<T> {
  return (await (await request("POST", path, file)).json()) as T;
}

export async function sendForm<T>(path: string, form: FormData): Promise<T> {
  return (await (await request("POST", path, form)).json()) as T;
}

/** A file as it is. */
export async function getFile(path: string): Promise<Blob> {
  return (await request("GET", path)).blob();
}

/** A file to save, and what the server remarks on it in a header. */
export async function getRemarkedFile(path: string, header: string): Promise<{ file: Blob; remarks: string }> {
  const response = await request("GET", path);
  return { file: await response.blob(), remarks: decodeURIComponent(response.headers.get(header) ?? "") };
}

/** What the server answers as sound. */
export async function sound(path: string, body: unknown): Promise<ArrayBuffer> {
  return (await request("POST", path, body)).arrayBuffer();
}

/** A sound that is there; null if there is nothing to hear. */
export async function getSound(path: string): Promise<Blob | null> {
  const response = await request("GET", path);
  return response.status === 204 ? null : response.blob();
}

/** Puts a file where another is, or none. */
export async function putFile(path: string, file: Blob): Promise<void> {
  await request("PUT", path, file);
}

export async function put<T>(path: string, body: unknown): Promise<T> {
  return (await (await request("PUT", path, body)).json()) as T;
}

/** Starts what streams its own course, and returns its address; whoever wants the stream follows it there. */
export async function start(path: string, body: unknown): Promise<string> {
  const response = await request("POST", path, body);
  await response.body?.cancel();
  return response.headers.get("Location") ?? "";
}

export async function remove(path: string): Promise<void> {
  await request("DELETE", path);
}

/** Removes what can be brought back; the answer says how. */
export async function removed<T>(path: string): Promise<T> {
  return (await (await request("DELETE", path)).json()) as T;
}

/** A path with the names in it escaped: `at("/v1/runs", id, "events")`. */
export function at(base: string, ...parts: string[]): string {
  return [base, ...parts.map(encodeURIComponent)].join("/");
}
