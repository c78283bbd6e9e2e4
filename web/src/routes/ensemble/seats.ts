/** Who answers, with which model and voice: as the ensemble says, unless changed in this browser. */
import type { Schemas } from "../../api/client";

export interface SeatChange {
  readonly off?: boolean;
  readonly model?: string;
  readonly voice?: string;
  readonly voiceProfile?: string;
}
export type Changes = Readonly<Record<number, SeatChange>>;

const KEY = "dramaturg.ensemble.seats";

export function recallChanges(): Changes {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Changes;
  } catch {
    return {};
  }
}

export function keepChanges(changes: Changes): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(changes));
  } catch {
    // they hold for as long as the page is open
  }
}

/** One change more; what is empty is as the ensemble says. */
export function changed(changes: Changes, slot: number, change: SeatChange): Changes {
  const merged = Object.entries({ ...changes[slot], ...change }).filter(([, value]) => value);
  const { [slot]: _, ...others } = changes;
  return merged.length ? { ...others, [slot]: Object.fromEntries(merged) } : others;
}

/** The slots of a request: none named if nothing was changed, so that the whole ensemble answers. */
export function slotsOf(listing: Schemas["EnsembleListing"], changes: Changes): Schemas["SlotRequest"][] | null {
  if (!listing.slots.some(({ slot }) => changes[slot])) return null;
  return listing.slots
    .filter(({ slot }) => !changes[slot]?.off)
    .map(({ slot }) => {
      const { off: _, ...asked } = changes[slot] ?? {};
      return { slotId: slot, ...asked };
    });
}
