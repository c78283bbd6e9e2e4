/** A scene while it is being composed, and what is sent of it. */
import type { Schemas } from "../../api/client";

export interface PartDraft {
  note: string;
  secrets: string;
  person: boolean;
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
  maxBeats: number;
  events: EventDraft[];
  parts: Record<string, PartDraft>;
  /** What the scene's file says besides, kept as it is. */
  more: Record<string, unknown>;
}

export const MOST = 5;

export function emptyDraft(): SceneDraft {
  return { name: "", setting: "", prompt: "", goal: "", cast: [], maxBeats: 20, events: [], parts: {}, more: {} };
}

export const emptyPart = (): PartDraft => ({ note: "", secrets: "", person: false, more: {} });

/** A scene of the project, to be changed. */
export function draftOf(config: Schemas["SceneConfig"]): SceneDraft {
  const { name, setting, prompt, goal, characters, maxBeats, events, parts, ...more } = config;
  return {
    name,
    setting: setting ?? "",
    prompt,
    goal: goal ?? "",
    cast: [...characters],
    maxBeats: maxBeats ?? 50,
    events: (events ?? []).map(({ beat, text }) => ({ beat, text })),
    parts: Object.fromEntries(Object.entries(parts ?? {}).map(([who, sheet]) => [who, partOf(sheet)])),
    more,
  };
}

function partOf({ note, secrets, playedBy, ...more }: Schemas["PartSheet"]): PartDraft {
  return { note: note ?? "", secrets: (secrets ?? []).join("\n"), person: playedBy === "person", more };
}

/** What is sent: only what was filled in, and sheets only of those who are in the cast. */
export function sceneOf(draft: SceneDraft): Record<string, unknown> {
  const events = draft.events.filter(({ text }) => text.trim());
  const parts = draft.cast.flatMap((name) => {
    const sheet = sheetOf(draft.parts[name] ?? emptyPart());
    return Object.keys(sheet).length ? [[name, sheet] as const] : [];
  });
  return {
    ...draft.more,
    name: draft.name.trim() || "untitled",
    prompt: draft.prompt,
    characters: draft.cast,
    maxBeats: draft.maxBeats,
    ...(draft.setting.trim() ? { setting: draft.setting } : {}),
    ...(draft.goal.trim() ? { goal: draft.goal } : {}),
    ...(events.length ? { events } : {}),
    ...(parts.length ? { parts: Object.fromEntries(parts) } : {}),
  };
}

function sheetOf({ note, secrets, person, more }: PartDraft): Record<string, unknown> {
  const known = secrets.split("\n").map((one) => one.trim()).filter(Boolean);
  return {
    ...more,
    ...(note.trim() ? { note } : {}),
    ...(known.length ? { secrets: known } : {}),
    ...(person ? { playedBy: "person", wait: true } : {}),
  };
}

/** The parts that people play, in the order of the cast. */
export const peopleIn = (draft: SceneDraft): string[] => draft.cast.filter((name) => draft.parts[name]?.person);
