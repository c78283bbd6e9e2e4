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

/** The fields of the beat at a place in the list. */
export const beatFields = (index: number): readonly Field[] => {
  const at = (key: string): Place => ["beats", index, key];
  return [
    { place: at("beat"), word: "episode.beat", kind: "choice", options: BEATS, called: "episode.beat." },
    { place: at("instruction"), word: "episode.instruction", kind: "text" },
    { place: at("target_turn"), word: "episode.target", kind: "number" },
    { place: at("deadline"), word: "episode.deadline", kind: "number" },
    { place: at("detection"), word: "episode.detection", kind: "choice", options: ["heuristic", "keyword", "model"], called: "episode.detection." },
    { place: at("keywords"), word: "episode.keywords", kind: "list" },
  ];
};

export const samePlace = (one: Place, other: Place): boolean => one.length === other.length && one.every((key, index) => key === other[index]);
