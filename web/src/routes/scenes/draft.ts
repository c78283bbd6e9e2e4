/** A scene while it is being composed, and what is sent of it. */
import type { Schemas } from "../../api/client";

type Sheet = Schemas["PartSheet"];
/** A number that may be left out. */
type Maybe = number | null | undefined;

export interface PartDraft {
  note: string;
  secrets: string;
  person: boolean;
  enters?: Maybe;
  leaves?: Maybe;
  /** What the sheet says besides, kept as it is. */
  more: Record<string, unknown>;
}

export interface EventDraft {
  beat: number;
  text: string;
}

export interface SceneDraft {
  name: string;
  setting: string;
  prompt: string;
  goal: string;
  cast: string[];
  /** Who opens; the first of the cast if it is nobody of it. */
  opener: string;
  maxBeats: number;
  tokens?: Maybe;
  usd?: Maybe;
  events: EventDraft[];
  parts: Record<string, PartDraft>;
  /** What the scene's file says besides, kept as it is. */
  more: Record<string, unknown>;
}

export const MOST = 5;

export function emptyDraft(): SceneDraft {
  return { name: "", setting: "", prompt: "", goal: "", cast: [], opener: "", maxBeats: 20, events: [], parts: {}, more: {} };
}

export const emptyPart = (): PartDraft => ({ note: "", secrets: "", person: false, more: {} });

/** Names of characters are the same in small and capital letters. */
export const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A scene of the project, to be changed. */
export function draftOf(config: Schemas["SceneConfig"]): SceneDraft {
  const { name, setting, prompt, goal, characters, initialSpeaker, maxBeats, budget, events, parts, ...more } = config;
  const sheets = Object.entries(parts ?? {});
  return {
    name,
    setting: setting ?? "",
    prompt,
    goal: goal ?? "",
    cast: [...new Set(characters)],
    opener: characters.find((one) => sameName(one, initialSpeaker ?? "")) ?? "",
    maxBeats: maxBeats ?? 50,
    tokens: budget?.tokens ?? null,
    usd: budget?.usd ?? null,
    events: (events ?? []).map(({ beat, text }) => ({ beat, text })),
    parts: Object.fromEntries(characters.map((who) => [who, partOf(sheets.find(([one]) => sameName(one, who))?.[1])])),
    more,
  };
}

function partOf(sheet: Sheet | undefined): PartDraft {
  if (!sheet) return emptyPart();
  const { note, secrets, playedBy, enters, leaves, ...more } = sheet;
  const person = playedBy === "person";
  return {
    note: note ?? "",
    secrets: (secrets ?? []).join("\n"),
    person,
    enters: enters || null,
    leaves: leaves ?? null,
    more: person ? { ...more, wait: more.wait ?? false } : more,
  };
}

/** What was typed, with the values that the form does not show as a file has them now. */
export function over(draft: SceneDraft, now: SceneDraft): SceneDraft {
  const parts = Object.entries(draft.parts).map(([who, part]) => [who, { ...part, more: now.parts[who]?.more ?? {} }] as const);
  return { ...draft, more: now.more, parts: Object.fromEntries(parts) };
}

/** What is sent: only what was filled in, and sheets only of those who are in the cast. */
export function sceneOf(draft: SceneDraft): Record<string, unknown> {
  const events = draft.events.filter(({ text }) => text.trim());
  const parts = draft.cast.flatMap((name) => {
    const sheet = sheetOf(draft.parts[name] ?? emptyPart());
    return Object.keys(sheet).length ? [[name, sheet] as const] : [];
  });
  const budget = { ...(draft.tokens ? { tokens: draft.tokens } : {}), ...(draft.usd ? { usd: draft.usd } : {}) };
  return {
    ...draft.more,
    name: draft.name.trim() || "untitled",
    prompt: draft.prompt,
    characters: draft.cast,
    maxBeats: draft.maxBeats,
    ...(draft.setting.trim() ? { setting: draft.setting } : {}),
    ...(draft.goal.trim() ? { goal: draft.goal } : {}),
    ...(draft.cast.includes(draft.opener) ? { initialSpeaker: draft.opener } : {}),
    ...(Object.keys(budget).length ? { budget } : {}),
    ...(events.length ? { events } : {}),
    ...(parts.length ? { parts: Object.fromEntries(parts) } : {}),
  };
}

function sheetOf({ note, secrets, person, enters, leaves, more }: PartDraft): Record<string, unknown> {
  const known = secrets.split("\n").map((one) => one.trim()).filter(Boolean);
  const { wait, else: otherwise, ...rest } = more;
  const persons = { playedBy: "person", wait: wait ?? true, ...(otherwise === undefined ? {} : { else: otherwise }) };
  return {
    ...rest,
    ...(note.trim() ? { note } : {}),
    ...(known.length ? { secrets: known } : {}),
    ...(enters ? { enters } : {}),
    ...(leaves ? { leaves } : {}),
    ...(person ? persons : {}),
  };
}

/** The parts that people play, in the order of the cast. */
export const peopleIn = (draft: SceneDraft): string[] => draft.cast.filter((name) => draft.parts[name]?.person);
