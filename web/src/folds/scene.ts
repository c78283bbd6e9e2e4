/**
 * The state of a scene: a pure fold over its entries, as the server's own fold has it.
 *
 * A public log gives lines, beats and the end; the author's log also gives evidence, notes, costs and what was cut off.
 */
import type { Schemas } from "../api/client";

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
  last: 0,
};

export function fold(entries: Iterable<SceneEntry>, from: SceneView = NOTHING_YET): SceneView {
  // Lines are collected in one list for the whole batch: a list for each entry would grow with the square.
  const lines = [...from.lines];
  let view: SceneView = from;
  for (const entry of entries) {
    const { event } = entry;
    if (event.type === "line.spoken") lines.push(event.line);
    else view = after(view, entry, lines);
    view = { ...view, last: entry.seq, pausedUntil: event.type === "run.paused" ? event.until : null };
  }
  return { ...view, lines };
}

function after(view: SceneView, { event }: SceneEntry, lines: Line[]): SceneView {
  switch (event.type) {
    case "scene.opened":
      return staged(view, event);
    case "scene.forked":
      return forked(view, event, lines);
    case "goal.changed":
      return regoaled(view, event);
    case "line.cut":
      amend(lines, event.number, { content: event.said, cutBy: event.by });
      return { ...view, met: stillSaid(view.met, lines) };
    case "line.glossed":
      amend(lines, event.number, { gloss: event.gloss });
      return view;
    case "line.unsaid":
      return { ...view, unsaid: { ...view.unsaid, [event.number]: event.unsaid } };
    case "take.chosen":
    case "line.edited":
    case "line.struck":
      revise(lines, event);
      return view;
    case "verdict.reached":
      return {
        ...view,
        met: stillSaid(event.verdict.met, lines),
        progress: { ...view.progress, [event.beat]: event.verdict.progress ?? 0 },
        unscored: event.unscored ? { ...view.unscored, [event.beat]: event.unscored } : view.unscored,
      };
    case "note.given":
      return { ...view, notes: [...view.notes, event] };
    case "character.failed":
      return { ...view, failures: [...view.failures, event] };
    case "direction.taken":
      return steered(view, event);
    case "model.answered":
      return { ...view, spent: paid(view.spent, event) };
    default:
      return played(view, event);
  }
}

function played(view: SceneView, event: SceneEntry["event"]): SceneView {
  switch (event.type) {
    case "beat.played":
    case "beat.closed":
      return { ...view, beat: event.beat + 1 };
    case "scene.ended":
      return { ...view, ended: event, beat: event.beats };
    case "scene.reopened":
      return { ...view, ended: null };
    case "run.stopped":
      return { ...view, stopped: event };
    case "run.adopted":
      return { ...view, stopped: null };
    default:
      return view;
  }
}

function steered(view: SceneView, event: Schemas["DirectionTaken"]): SceneView {
  const asked = event.direction.do;
  const pausing = event.refused ? view.pausing : asked === "pause" || (asked !== "go" && view.pausing);
  return { ...view, directions: [...view.directions, event], pausing };
}

function staged(view: SceneView, opened: Schemas["SceneOpened"]): SceneView {
  return { ...view, opened, cast: opened.cast, goals: opened.goals };
}

function forked(view: SceneView, event: Schemas["SceneForked"], lines: Line[]): SceneView {
  const scene = event.opened ?? view.opened;
  if (!scene) return view;
  const cast = scene.cast.map((member) => ({ ...member, model: event.models[member.name] ?? member.model }));
  const known = new Set(view.cast.map((member) => member.name));
  const strangers = cast.filter((member) => !known.has(member.name)).map((member) => member.displayName);
  if (event.opened && strangers.length) {
    lines.forEach((line, index) => (lines[index] = { ...line, unheardBy: [...line.unheardBy, ...strangers] }));
  }
  const met = JSON.stringify(scene.goals) === JSON.stringify(view.goals) ? view.met : [];
  return { ...staged(view, { ...scene, cast }), met, stopped: null, ended: null };
}

/** Sub-goals that stay keep the words that met them, under their new number. */
function regoaled(view: SceneView, event: Schemas["GoalChanged"]): SceneView {
  const before = new Map(view.goals.map((goal) => [goal.id, goal.text]));
  const now = new Map(event.goals.map((goal) => [goal.text, goal.id]));
  const met = view.met.flatMap((evidence) => {
    const goal = now.get(before.get(evidence.goal) ?? "");
    return goal === undefined ? [] : [{ ...evidence, goal }];
  });
  return { ...view, goals: event.goals, met };
}

function amend(lines: Line[], number: number, change: Partial<Line>): void {
  const index = lines.findIndex((line) => line.number === number);
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
    const line = number == null ? undefined : lines.find((one) => one.number === number);
    return !line?.cutBy || plain(`${line.content} ${line.nonverbal ?? ""}`).includes(plain(quote));
  });
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function paid(spent: SceneView["spent"], event: Schemas["ModelAnswered"]): SceneView["spent"] {
  const before = spent[event.who] ?? { tokens: 0, usd: 0 };
  const { usage, cost_usd: cost } = event.answer;
  const tokens = before.tokens + usage.input_tokens + usage.output_tokens;
  return { ...spent, [event.who]: { tokens, usd: before.usd === null || cost == null ? null : before.usd + cost } };
}
