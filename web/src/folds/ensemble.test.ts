import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { fold, NOT_ASKED, place, receivedBy, TURNS, type EnsembleEntry } from "./ensemble";

interface Recorded {
  entries: EnsembleEntry[];
  manifest: Schemas["SessionManifest"];
}

const FOLDER = new URL("./recorded/ensembles/", import.meta.url);
const logs = readdirSync(FOLDER).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(new URL(file, FOLDER), "utf-8")) as Recorded),
}));

describe.each(logs)("the log $file", ({ entries, manifest }) => {
  const view = fold(entries);

  test("has the server's question, cast and end", () => {
    expect(view.opened?.message).toBe(manifest.message);
    expect(view.opened?.cast).toEqual(manifest.cast);
    expect(view.ended !== null).toBe(manifest.finished);
    expect(view.ended?.completed_slots).toBe(manifest.completedSlots);
    expect(view.dropped).toEqual(manifest.dropped);
  });

  test("has each turn as the server has it: its status, its lines, whom they are about and who is heard", () => {
    for (const turn of manifest.turns) {
      expect(view.turns[turn.turnIndex as 1 | 2 | 3]).toBe(turn.status);
      const lines = (turn.lines ?? []).map(({ slotId, text, targetSlotId, audio, voiceProfile, receivedFrom }) => {
        const here = place(turn.turnIndex, slotId);
        const made = view.recorded.get(here)?.audio_path ?? null;
        expect([view.lines.get(here)?.text, view.lines.get(here)?.target ?? null]).toEqual([text, targetSlotId ?? null]);
        expect([made, view.lines.get(here)?.voice_profile]).toEqual([audio?.audioPath ?? null, voiceProfile]);
        if (turn.turnIndex === 3) expect(receivedBy(view, slotId)).toEqual(receivedFrom);
        return here;
      });
      const own = [...view.lines.keys()].filter((one) => one.startsWith(`${turn.turnIndex}/`));
      expect(own.sort()).toEqual(lines.sort());
    }
    expect(view.thinking.size).toBe(0);
    expect(view.failures.size + view.unspoken.size).toBe(manifest.errors?.length);
  });

  test("gives the same session whether it comes at once or entry by entry", () => {
    expect(entries.reduce((pieced, entry) => fold([entry], pieced), NOT_ASKED)).toEqual(view);
  });
});

test("somebody who cannot answer is no longer thinking, and somebody who cannot be heard has still spoken", () => {
  const failed = (turn: number, slot_id: number, error: string) =>
    ({ event: { type: "slot.error", turn, slot_id, error, message: "…" } }) as EnsembleEntry;
  const start = { event: { type: "slot.start", turn: 1, slot_id: 2 } } as EnsembleEntry;
  const view = fold([start, failed(1, 2, "timeout"), failed(1, 3, "tts_error")]);
  expect(view.thinking.size).toBe(0);
  expect([[...view.failures.keys()], [...view.unspoken.keys()]]).toEqual([["1/2"], ["1/3"]]);
  expect(TURNS.map((turn) => view.turns[turn])).toEqual(["waiting", "waiting", "waiting"]);
});
