/**
 * The state of a scene: a pure fold over its entries, as the server's own fold has it.
 *
 * A public log gives lines, beats and the end; the author's log also gives evidence, notes, costs and what was cut off.
 */
import type { Schemas } from "../api/client";
import { counted, isNewer, NONE_NEWER, SCENE_KINDS, type Newer } from "./newer";

export type SceneEntry = Schemas["SceneEntry"];
export type Line = Schemas["Line"];
export type CastMember = Schemas["CastMember"];
export type Goal = Schemas["Goal"];
export type Evidence = Schemas["Evidence"];

export interface GivenNote {
  readonly beat: number;
  readonly to: string;
  readonly text: string;
  readonly reason: string;
}

export interface Spent {
  readonly tokens: number;
  /** Null as soon as the price of one answer is unknown. */
  readonly usd: number | null;
}

export interface SceneView {
  readonly opened: Schemas["SceneOpened"] | null;
  readonly cast: readonly CastMember[];
  readonly goals: readonly Goal[];
  readonly met: readonly Evidence[];
  readonly lines: readonly Line[];
  /** The rest of lines that were cut off, by number; in the author's log only. */
  readonly unsaid: Readonly<Record<number, string>>;
  readonly beat: number;
  readonly notes: readonly GivenNote[];
  readonly failures: readonly Schemas["CharacterFailed"][];
  readonly unscored: Readonly<Record<number, string>>;
  /** By the card of a character; under no name, what the director has spent. */
  readonly spent: Readonly<Record<string, Spent>>;
  readonly pausedUntil: number | null;
  readonly ended: Schemas["SceneEnded"] | null;
  readonly stopped: Schemas["RunStopped"] | null;
  /** What the author asked of the scene while it played, in the author's log only. */
  readonly directions: readonly Schemas["DirectionTaken"][];
  /** Whether the author has told the scene to wait after each beat. */
  readonly pausing: boolean;
  /** How much of the goal was reached, by beat, as far as the judge could say. */
  readonly progress: Readonly<Record<number, number>>;
  readonly newer: Newer;
  readonly last: number;
}

export const NOTHING_YET: SceneView = {
  opened: null,
  cast: [],
  goals: [],
  met: [],
  lines: [],
  unsaid: {},
  beat: 0,
  notes: [],
  failures: [],
  unscored: {},
  spent: {},
  pausedUntil: null,
  ended: null,
  stopped: null,
  directions: [],
  pausing: false,
  progress: {},
  newer: NONE_NEWER,
  last: 0,
};

export function fold(entries: Iterable<SceneEntry>, from: SceneView = NOTHING_YET): SceneView {
  const draft = new Draft(from);
  for (const { seq, event } of entries) {
    draft.view.last = seq;
    if (isNewer(event, SCENE_KINDS)) {
      draft.view.newer = counted(draft.view.newer, event.type);
      continue;
    }
    after(draft, event);
    draft.view.pausedUntil = event.type === "run.paused" ? event.until : null;
  }
  return draft.view;
}

type Grown = "lines" | "unsaid" | "notes" | "failures" | "unscored" | "spent" | "directions" | "progress";
type Writable<T> = T extends readonly (infer E)[] ? E[] : { -readonly [K in keyof T]: T[K] };

/**
 * A view while a batch is folded into it. What the batch adds to is copied once, not once for each entry, which would
 * grow with the square; what it leaves alone stays the same object, so that a page draws only what has changed.
 */
class Draft {
  readonly view: Writable<SceneView>;
  readonly #copied = new Set<Grown>();

  constructor(from: SceneView) {
    this.view = { ...from };
  }

  own<K extends Grown>(key: K): Writable<SceneView[K]> {
    if (!this.#copied.has(key)) {
      const before = this.view[key];
      Object.assign(this.view, { [key]: Array.isArray(before) ? [...(before as unknown[])] : { ...before } });
      this.#copied.add(key);
    }
    return this.view[key] as Writable<SceneView[K]>;
  }
}

function after(draft: Draft, event: SceneEntry["event"]): void {
  const { view } = draft;
  switch (event.type) {
    case "scene.opened":
      return stage(view, event);
    case "scene.forked":
      return fork(draft, event);
    case "goal.changed":
      return changeGoals(view, event);
    case "line.spoken":
      return void draft.own("lines").push(event.line);
    case "line.cut":
      amend(draft.own("lines"), event.number, { content: event.said, cutBy: event.by });
      view.met = stillSaid(view.met, view.lines);
      return;
    case "line.glossed":
      return amend(draft.own("lines"), event.number, { gloss: event.gloss });
    case "line.unsaid":
      draft.own("unsaid")[event.number] = event.unsaid;
      return;
    case "take.chosen":
    case "line.edited":
    case "line.struck":
      return revise(draft.own("lines"), event);
    case "verdict.reached":
      return judge(draft, event);
    case "note.given":
      return void draft.own("notes").push(event);
    case "character.failed":
      return void draft.own("failures").push(event);
    case "direction.taken":
      return steer(draft, event);
    case "model.answered":
      return pay(draft.own("spent"), event);
    default:
      return play(view, event);
  }
}

function play(view: Draft["view"], event: SceneEntry["event"]): void {
  switch (event.type) {
    case "beat.played":
    case "beat.closed":
      view.beat = event.beat + 1;
      return;
    case "scene.ended":
      view.ended = event;
      view.beat = event.beats;
      return;
    case "scene.reopened":
      view.ended = null;
      return;
    case "run.stopped":
      view.stopped = event;
      return;
    case "run.adopted":
      view.stopped = null;
  }
}

function judge(draft: Draft, { beat, verdict, unscored }: Schemas["VerdictReached"]): void {
  draft.view.met = stillSaid(verdict.met, draft.view.lines);
  draft.own("progress")[beat] = verdict.progress ?? 0;
  if (unscored) draft.own("unscored")[beat] = unscored;
}

function steer(draft: Draft, event: Schemas["DirectionTaken"]): void {
  const asked = event.direction.do;
  draft.own("directions").push(event);
  if (!event.refused) draft.view.pausing = asked === "pause" || (asked !== "go" && draft.view.pausing);
}

function stage(view: Draft["view"], opened: Schemas["SceneOpened"]): void {
  Object.assign(view, { opened, cast: opened.cast, goals: opened.goals });
}

function fork(draft: Draft, event: Schemas["SceneForked"]): void {
  const { view } = draft;
  const scene = event.opened ?? view.opened;
  if (!scene) return;
  const cast = scene.cast.map((member) => ({ ...member, model: event.models[member.name] ?? member.model }));
  const known = new Set(view.cast.map((member) => member.name));
  const strangers = cast.filter((member) => !known.has(member.name)).map((member) => member.displayName);
  if (event.opened && strangers.length) {
    const lines = draft.own("lines");
    lines.forEach((line, index) => (lines[index] = { ...line, unheardBy: [...line.unheardBy, ...strangers] }));
  }
  if (JSON.stringify(scene.goals) !== JSON.stringify(view.goals)) view.met = [];
  stage(view, { ...scene, cast });
  view.stopped = null;
  view.ended = null;
}

/** Sub-goals that stay keep the words that met them, under their new number. */
function changeGoals(view: Draft["view"], event: Schemas["GoalChanged"]): void {
  const before = new Map(view.goals.map((goal) => [goal.id, goal.text]));
  const now = new Map(event.goals.map((goal) => [goal.text, goal.id]));
  view.met = view.met.flatMap((evidence) => {
    const goal = now.get(before.get(evidence.goal) ?? "");
    return goal === undefined ? [] : [{ ...evidence, goal }];
  });
  view.goals = event.goals;
}

/** Where a line stands: lines are numbered from one, unless some were struck. */
function placeOf(lines: readonly Line[], number: number): number {
  return lines[number - 1]?.number === number ? number - 1 : lines.findIndex((line) => line.number === number);
}

function amend(lines: Line[], number: number, change: Partial<Line>): void {
  const index = placeOf(lines, number);
  const line = lines[index];
  if (line) lines[index] = { ...line, ...change };
}

function revise(lines: Line[], event: { number: number; lines: readonly Line[] }): void {
  const changed = new Map(event.lines.map((line) => [line.number, line]));
  const kept = lines.filter((line) => line.number !== event.number || changed.has(line.number));
  const known = new Set(kept.map((line) => line.number));
  const all = kept.map((line) => changed.get(line.number) ?? line);
  all.push(...event.lines.filter((line) => !known.has(line.number)));
  lines.splice(0, lines.length, ...all.sort((one, other) => one.number - other.number));
}

/** A promise that was cut off is not a promise. */
function stillSaid(met: readonly Evidence[], lines: readonly Line[]): readonly Evidence[] {
  return met.filter(({ line: number, quote }) => {
    const line = number == null ? undefined : lines[placeOf(lines, number)];
    return !line?.cutBy || plain(`${line.content} ${line.nonverbal ?? ""}`).includes(plain(quote));
  });
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** As in the log; a card may be called so too. */
const DIRECTOR = "director";

/** What a character is asked has its name in the key: `beat-3/director`, `memory/director`. */
function partOf({ who, key }: Schemas["ModelAnswered"]): string {
  const named = key.slice(key.indexOf("/") + 1 || key.length).startsWith(DIRECTOR);
  return who === DIRECTOR && !named ? "" : who;
}

function pay(spent: Record<string, Spent>, event: Schemas["ModelAnswered"]): void {
  const part = partOf(event);
  const before = spent[part] ?? { tokens: 0, usd: 0 };
  const { usage, cost_usd: cost } = event.answer;
  const tokens = before.tokens + usage.input_tokens + usage.output_tokens;
  spent[part] = { tokens, usd: before.usd === null || cost == null ? null : before.usd + cost };
}
