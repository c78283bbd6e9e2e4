/** The state of an ensemble's session: a pure fold over its public entries, as the server's manifest has it. */
import type { Schemas } from "../api/client";
import { counted, ENSEMBLE_KINDS, isNewer, NONE_NEWER, type Newer } from "./newer";

export type EnsembleEntry = Schemas["EnsembleEntry"];
export type Seat = Schemas["Seat"];
export type Spoken = Schemas["SlotSpoke"];
export type Recorded = Schemas["SlotRecorded"];
export type TurnIndex = 1 | 2 | 3;
export type TurnStatus = Schemas["ManifestTurn"]["status"];

export const TURNS: readonly TurnIndex[] = [1, 2, 3];

/** A turn and a slot, such as `2/5`. */
export type Place = `${number}/${number}`;
export const place = (turn: number, slot: number): Place => `${turn}/${slot}`;

export interface EnsembleView {
  readonly opened: Schemas["EnsembleOpened"] | null;
  readonly queuedBehind: string | null;
  readonly remarks: readonly string[];
  readonly turns: Readonly<Record<TurnIndex, TurnStatus>>;
  readonly skipped: Readonly<Partial<Record<TurnIndex, Schemas["TurnSkipped"]>>>;
  /** The slots that are being asked. */
  readonly thinking: ReadonlySet<Place>;
  /** What was said, in the order in which it arrived. */
  readonly lines: ReadonlyMap<Place, Spoken>;
  readonly recorded: ReadonlyMap<Place, Recorded>;
  readonly failures: ReadonlyMap<Place, Schemas["SlotFailed"]>;
  /** Why a line has no sound: its engine failed, or no voice here speaks its language. */
  readonly unspoken: ReadonlyMap<Place, { readonly error: string; readonly message: string }>;
  readonly assignments: readonly Schemas["Assignment"][];
  readonly dropped: readonly Schemas["Assignment"][];
  readonly ended: Schemas["EnsembleEnded"] | null;
  readonly stopped: Schemas["RunStopped"] | null;
  readonly newer: Newer;
}

export const NOT_ASKED: EnsembleView = {
  opened: null,
  queuedBehind: null,
  remarks: [],
  turns: { 1: "waiting", 2: "waiting", 3: "waiting" },
  skipped: {},
  thinking: new Set(),
  lines: new Map(),
  recorded: new Map(),
  failures: new Map(),
  unspoken: new Map(),
  assignments: [],
  dropped: [],
  ended: null,
  stopped: null,
  newer: NONE_NEWER,
};

export function fold(entries: Iterable<EnsembleEntry>, from: EnsembleView = NOT_ASKED): EnsembleView {
  let view = from;
  for (const { event } of entries) {
    view = isNewer(event, ENSEMBLE_KINDS) ? { ...view, newer: counted(view.newer, event.type) } : after(view, event);
  }
  return view;
}

/** The slots whose comments reached a slot. */
export function receivedBy(view: EnsembleView, slot: number): number[] {
  return view.assignments.filter((one) => one.targetSlotId === slot).map((one) => one.slotId);
}

function after(view: EnsembleView, event: EnsembleEntry["event"]): EnsembleView {
  switch (event.type) {
    case "ensemble.opened":
      return { ...view, opened: event };
    case "session.queued":
      return { ...view, queuedBehind: event.behind };
    case "remark":
      return { ...view, remarks: [...view.remarks, event.message] };
    case "slot.start":
    case "slot.done":
    case "slot.audio":
    case "slot.unspoken":
    case "slot.error":
      return slotHeard(view, event);
    case "route.done":
      return { ...view, assignments: event.assignments, dropped: event.dropped ?? [] };
    case "done":
      return { ...view, ended: event };
    case "run.stopped":
      return { ...view, stopped: event };
    case "run.adopted":
      return { ...view, stopped: null };
    default:
      return turned(view, event);
  }
}

function turned(view: EnsembleView, event: EnsembleEntry["event"]): EnsembleView {
  switch (event.type) {
    case "turn.start":
      return { ...view, queuedBehind: null, turns: { ...view.turns, [event.turn]: "playing" } };
    case "turn.done":
      return { ...view, turns: { ...view.turns, [event.turn]: "texts_in" } };
    case "turn.audio":
      return { ...view, turns: { ...view.turns, [event.turn]: "audio_in" } };
    case "turn.skipped": {
      const skipped = { ...view.skipped, [event.turn]: event };
      return { ...view, skipped, turns: { ...view.turns, [event.turn]: "skipped" } };
    }
    default:
      return view;
  }
}

type SlotEvent = Schemas["SlotStarted"] | Spoken | Recorded | Schemas["SlotUnspoken"] | Schemas["SlotFailed"];

function slotHeard(view: EnsembleView, event: SlotEvent): EnsembleView {
  const here = place(event.turn, event.slot_id);
  const thinking = new Set(view.thinking);
  switch (event.type) {
    case "slot.start":
      return { ...view, thinking: thinking.add(here) };
    case "slot.audio": {
      const unspoken = new Map(view.unspoken);
      unspoken.delete(here);
      return { ...view, unspoken, recorded: new Map(view.recorded).set(here, event) };
    }
    case "slot.unspoken": {
      const why = { error: "unspoken", message: event.reason };
      return { ...view, unspoken: new Map(view.unspoken).set(here, why) };
    }
    case "slot.done":
      thinking.delete(here);
      return { ...view, thinking, lines: new Map(view.lines).set(here, event) };
    case "slot.error":
      thinking.delete(here);
      if (event.error === "tts_error") return { ...view, unspoken: new Map(view.unspoken).set(here, event) };
      return { ...view, thinking, failures: new Map(view.failures).set(here, event) };
  }
}
