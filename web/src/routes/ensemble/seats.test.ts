import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { changed, slotsOf, type Changes } from "./seats";

const listing = { slots: [{ slot: 1 }, { slot: 2 }, { slot: 3 }] } as unknown as Schemas["EnsembleListing"];

test("with nothing changed the whole ensemble is asked, as it is written", () => {
  expect(slotsOf(listing, {})).toBeNull();
  expect(slotsOf(listing, { 9: { off: true } })).toBeNull();
});

test("a seat that was left out is not asked, and one that was changed is asked with its change", () => {
  const changes: Changes = { 2: { off: true }, 3: { model: "ollama/x" } };
  expect(slotsOf(listing, changes)).toEqual([{ slotId: 1 }, { slotId: 3, model: "ollama/x" }]);
});

test("a change that is taken back leaves nothing behind", () => {
  const once = changed({}, 2, { voice: "am_onyx" });
  expect(once).toEqual({ 2: { voice: "am_onyx" } });
  expect(changed(once, 2, { voice: "" })).toEqual({});
});
