/** The fields of an episode's form: where each stands in the file, and how it is asked for. What is not here is written in YAML. */
import type { Place } from "../../parts/written";
import type { Word } from "../../words/say";

export interface Field {
  readonly place: Place;
  readonly word: Word;
  readonly kind: "line" | "text" | "number" | "list" | "tick" | "choice";
  /** Of a choice: its values; the first counts where the file says nothing. */
  readonly options?: readonly string[];
  /** What the options are called, if they have words; each is followed by its value. */
  readonly called?: string;
  /** The way of ending that it belongs to. */
  readonly mode?: string;
}

export interface Group {
  readonly word: Word;
  readonly place?: Place;
  readonly fields: readonly Field[];
}

export const BEATS = ["establishment", "complication", "escalation", "pivot", "resolution"];
export const MODE: Place = ["completion_mode"];
const MODES = ["open", "turn_limited", "beat_gated", "objective"];

export const GROUPS: readonly Group[] = [
  {
    word: "episode.card",
    place: ["scene_card"],
    fields: [
      { place: ["title"], word: "episode.title", kind: "line" },
      { place: ["scene_card", "title"], word: "episode.card.title", kind: "line" },
      { place: ["scene_card", "text"], word: "episode.card.text", kind: "text" },
      { place: ["player", "role"], word: "episode.role", kind: "line" },
      { place: ["player", "objective"], word: "episode.objective", kind: "line" },
    ],
  },
  {
    word: "episode.opening",
    fields: [
      { place: ["opening_line"], word: "episode.opening.line", kind: "text" },
      { place: ["opening_situation"], word: "episode.opening.situation", kind: "text" },
      { place: ["notes"], word: "episode.notes", kind: "text" },
    ],
  },
  {
    word: "episode.end",
    place: ["completion_criteria"],
    fields: [
      { place: MODE, word: "episode.mode", kind: "choice", options: MODES, called: "episode.mode." },
      { place: ["turn_budget"], word: "episode.turns", kind: "number" },
      { place: ["completion_criteria", "required_beat"], word: "episode.required", kind: "choice", options: ["pivot", ...BEATS.filter((beat) => beat !== "pivot")], called: "episode.beat.", mode: "beat_gated" },
      { place: ["completion_criteria", "require_resolution"], word: "episode.resolution", kind: "tick", mode: "beat_gated" },
      { place: ["completion_criteria", "objective_key"], word: "episode.key", kind: "line", mode: "objective" },
      { place: ["completion_criteria", "met_when"], word: "episode.met", kind: "text", mode: "objective" },
      { place: ["completion_criteria", "keywords"], word: "episode.keywords", kind: "list", mode: "objective" },
    ],
  },
];

export const AROUND: Group = {
  word: "episode.after",
  fields: [
    { place: ["evaluation"], word: "episode.evaluation", kind: "line" },
    { place: ["progress"], word: "episode.progress", kind: "choice", options: ["hidden", "dots", "label"], called: "episode.progress." },
    { place: ["themes"], word: "episode.themes", kind: "list" },
    { place: ["directors_cut"], word: "episode.cut", kind: "tick" },
  ],
};

/** A list of the file: its place, the fields of an item, and what a new one begins with; nothing where there can be no other. */
export interface Listed {
  readonly place: Place;
  readonly item: Word;
  readonly add: Word;
  readonly remove: Word;
  fields(at: Place): readonly Field[];
  fresh(items: readonly unknown[]): Readonly<Record<string, unknown>> | undefined;
}

export const BEAT_LIST: Listed = {
  place: ["beats"],
  item: "episode.beat.item",
  add: "episode.beat.add",
  remove: "episode.beat.remove",
  fields: (at) => [
    { place: [...at, "beat"], word: "episode.beat", kind: "choice", options: BEATS, called: "episode.beat." },
    { place: [...at, "instruction"], word: "episode.instruction", kind: "text" },
    { place: [...at, "target_turn"], word: "episode.target", kind: "number" },
    { place: [...at, "deadline"], word: "episode.deadline", kind: "number" },
    { place: [...at, "detection"], word: "episode.detection", kind: "choice", options: ["heuristic", "keyword", "model"], called: "episode.detection." },
    { place: [...at, "keywords"], word: "episode.keywords", kind: "list" },
  ],
  /** What follows the last beat in the order of a story; none after the resolution. */
  fresh: (items) => {
    const next = BEATS[BEATS.indexOf(valueIn(items.at(-1), "beat")) + 1];
    return next ? { beat: next } : undefined;
  },
};

/** What the player may pick at a beat. With suspects, picking may accuse one of them. */
export const choiceList = (beat: number, suspects: readonly string[]): Listed => ({
  place: ["beats", beat, "choices"],
  item: "episode.choice.item",
  add: "episode.choice.add",
  remove: "episode.choice.remove",
  fields: (at) => [
    { place: [...at, "label"], word: "episode.choice.label", kind: "line" },
    { place: [...at, "id"], word: "episode.choice.id", kind: "line" },
    { place: [...at, "text"], word: "episode.choice.text", kind: "text" },
    { place: [...at, "flag"], word: "episode.choice.flag", kind: "line" },
    ...(suspects.length ? [{ place: [...at, "accuses"], word: "episode.choice.accuses", kind: "choice", options: ["", ...suspects] } as const] : []),
  ],
  fresh: (items) => ({ id: newName("choice", items.map((item) => valueIn(item, "id"))) }),
});

export const LEDGER: readonly Field[] = [
  { place: ["clue_ledger", "crime"], word: "episode.crime", kind: "line" },
  { place: ["clue_ledger", "solution"], word: "episode.solution", kind: "text" },
];

export const CLUE_LIST: Listed = {
  place: ["clue_ledger", "clues"],
  item: "episode.clue.item",
  add: "episode.clue.add",
  remove: "episode.clue.remove",
  fields: (at) => [
    { place: [...at, "text"], word: "episode.clue.text", kind: "text" },
    { place: [...at, "id"], word: "episode.clue.id", kind: "line" },
    { place: [...at, "keywords"], word: "episode.keywords", kind: "list" },
  ],
  fresh: (items) => ({ id: newName("clue", items.map((item) => valueIn(item, "id"))) }),
};

export const SUSPECT_LIST: Listed = {
  place: ["clue_ledger", "suspects"],
  item: "episode.suspect.item",
  add: "episode.suspect.add",
  remove: "episode.suspect.remove",
  fields: (at) => [
    { place: [...at, "name"], word: "episode.suspect.name", kind: "line" },
    { place: [...at, "aliases"], word: "episode.suspect.aliases", kind: "list" },
    { place: [...at, "cleared_by"], word: "episode.suspect.cleared", kind: "list" },
    { place: [...at, "proven_by"], word: "episode.suspect.proven", kind: "list" },
    { place: [...at, "guilty"], word: "episode.suspect.guilty", kind: "tick" },
  ],
  fresh: (items) => ({ name: newName("Suspect", items.map((item) => valueIn(item, "name")), " ") }),
};

/** What stands in an item of a list under a key, as text. */
export const valueIn = (item: unknown, key: string): string => String((item as Record<string, unknown> | null | undefined)?.[key] ?? "");

/** A name that nothing else has: `clue_1`. */
export function newName(kind: string, taken: readonly string[], between = "_"): string {
  let number = taken.length + 1;
  while (taken.includes(`${kind}${between}${number}`)) number += 1;
  return `${kind}${between}${number}`;
}

export const samePlace = (one: Place, other: Place): boolean => one.length === other.length && one.every((key, index) => key === other[index]);
