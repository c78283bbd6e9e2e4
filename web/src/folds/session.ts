/**
 * A player's session: the view that the server gave, and what its stream has told since.
 *
 * The stream tells what the character and the director do. What the player does is known here; after a turn the server's
 * own view takes the place of this one, with swipes and numbers.
 */
import type { Schemas } from "../api/client";
import { counted, NONE_NEWER, type Newer } from "./newer";

export type SessionView = Schemas["SessionView"];
export type ShownMessage = Schemas["ShownMessage"];
export type StreamEvent = Schemas["StreamEvent"];

export interface LiveAnswer {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export interface Session {
  readonly view: SessionView;
  /** The answer that is arriving. */
  readonly live: LiveAnswer | null;
  /** The message that the arriving answer takes the place of. */
  readonly replaces: string | null;
  readonly prompt: string;
  readonly failed: Schemas["ErrorEvent"] | null;
  /** The server knows more than was told: ask for its view. */
  readonly stale: boolean;
  readonly newer: Newer;
}

export function begun(view: SessionView): Session {
  return { view, live: null, replaces: null, prompt: "", failed: null, stale: false, newer: NONE_NEWER };
}

/** What the player said and the server may not have yet. */
export interface Unsent {
  readonly text: string;
  readonly id: string;
}

/** The server's newer view. An answer that is still arriving goes on, and what it does not have yet stays. */
export function refreshed(session: Session, view: SessionView, unsent: Unsent | null = null): Session {
  const newer = renewed(session, view);
  const isMissing = unsent !== null && spokenBy(view) < spokenBy(session.view);
  return isMissing ? said(newer, unsent.text, unsent.id) : newer;
}

/** How often the player spoke: the server gives their words an id of its own. */
function spokenBy(view: SessionView): number {
  return view.messages.filter(({ role }) => role === "player").length;
}

function renewed(session: Session, view: SessionView): Session {
  const isThere = view.messages.some(({ id }) => id === session.live?.id);
  const live = view.busy && !isThere ? session.live : null;
  const failed = view.retry ? session.failed : null;
  return { ...session, view, live, replaces: live ? session.replaces : null, failed, stale: false };
}

/** The player has said something, which the server has not confirmed yet. */
export function said(session: Session, text: string, id: string): Session {
  const view = { ...session.view, choices: [], busy: true, retry: false };
  view.messages = [...view.messages, { ...EMPTY, id, role: "player", content: text, siblings: [id] }];
  return { ...session, view, failed: null, prompt: "" };
}

/** Another answer was asked for: in place of a message, or to go on. */
export function asked(session: Session, replaces: string | null): Session {
  return { ...session, replaces, failed: null, view: { ...session.view, busy: true, retry: false } };
}

export function fold(events: Iterable<StreamEvent>, from: Session): Session {
  let session = from;
  for (const event of events) if (isNews(event, session.view)) session = after(session, event);
  return session;
}

/** Pieces of an answer and recordings may come twice and do no harm; the rest is told once. */
function isNews(event: StreamEvent, view: SessionView): boolean {
  if (event.type === "chunk" || event.type === "audio") return true;
  return Number.parseInt(event.id, 10) > Number.parseInt(view.mark || "0", 10);
}

function after(session: Session, event: StreamEvent): Session {
  const { view } = session;
  const kind: string = event.type;
  switch (event.type) {
    case "chunk":
      return { ...session, live: grown(session, event) };
    case "message_complete":
      return completed(session, event);
    case "audio":
      return { ...session, view: amended(view, event.message_id, (one) => heard(one, event)) };
    case "care":
      return { ...session, view: amended(view, lastOf(view, "player"), (one) => ({ ...one, care: event.text })) };
    case "beat":
      return { ...session, view: { ...view, story: { index: event.index, total: event.total } } };
    case "choice_prompt":
      return { ...session, prompt: event.prompt, view: { ...view, choices: event.choices } };
    case "episode_complete":
      return { ...session, stale: true, view: ended(view, event) };
    case "error":
      return { ...session, live: null, failed: event };
    case "done":
      return done(session, event);
    case "scene_card":
    case "audio_failed":
      return session;
    default:
      event satisfies never;
      return { ...session, newer: counted(session.newer, kind) };
  }
}

function grown({ live, view }: Session, event: Schemas["ChunkEvent"]): LiveAnswer | null {
  if (view.messages.some(({ id }) => id === event.message_id)) return live;
  const before = live?.id === event.message_id ? live.text : "";
  return { id: event.message_id, name: event.name ?? "", text: before + event.content };
}

function completed(session: Session, event: Schemas["MessageCompleteEvent"]): Session {
  const { view, replaces } = session;
  const told = { id: event.message_id, content: event.content, structured: event.structured };
  const who = { speaker: event.speaker ?? "", name: event.name ?? "", whispered: event.whispered ?? false };
  const message: ShownMessage = { ...EMPTY, ...told, ...who, role: "character", siblings: [event.message_id] };
  const at = view.messages.findIndex(({ id }) => id === event.message_id || id === replaces);
  const before = at < 0 ? view.messages : view.messages.slice(0, at);
  return {
    ...session,
    live: null,
    replaces: null,
    failed: null,
    view: { ...view, messages: [...before, message], director: event.director },
  };
}

function heard(message: ShownMessage, { id: _, type: __, message_id: ___, ...recording }: Schemas["AudioEvent"]): ShownMessage {
  const others = (message.recordings ?? []).filter(({ file }) => file !== recording.file);
  return { ...message, recordings: [...others, recording].sort((one, other) => one.number - other.number) };
}

function ended(view: SessionView, event: Schemas["EpisodeCompleteEvent"]): SessionView {
  return {
    ...view,
    status: "complete",
    completion_trigger: event.trigger,
    evaluation: event.evaluation ?? null,
    evaluation_status: event.evaluation_status ?? "none",
    suggestion: event.next_suggestion ?? null,
  };
}

function done(session: Session, event: Schemas["DoneEvent"]): Session {
  const { view, failed } = session;
  const suggestion = event.next_suggestion ?? view.suggestion ?? null;
  const over = { ...view, busy: false, retry: failed?.retry ?? false, suggestion };
  return { ...session, live: null, replaces: null, stale: true, view: over };
}

function lastOf(view: SessionView, role: ShownMessage["role"]): string {
  return view.messages.findLast((one) => one.role === role)?.id ?? "";
}

function amended(view: SessionView, id: string, change: (one: ShownMessage) => ShownMessage): SessionView {
  return { ...view, messages: view.messages.map((one) => (one.id === id ? change(one) : one)) };
}

const NOBODY = { speaker: "", name: "", to: "", whispered: false };
const EMPTY = { ...NOBODY, at: 0, edited: false, recordings: [], care: "" };
