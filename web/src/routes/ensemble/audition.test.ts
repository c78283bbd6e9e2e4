import { expect, test } from "vitest";
import { soundOf } from "./audition";

test("what is heard is the voice that was chosen here, then the ensemble's, then a profile, then any", () => {
  const seat = { voice: "alto", voiceProfile: "calm_precise" };
  expect(soundOf(seat, { voice: "deep" }, "any")).toBe("deep");
  expect(soundOf(seat, { voiceProfile: "warm_gravel" }, "any")).toBe("alto");
  expect(soundOf({ voice: null, voiceProfile: "calm_precise" }, { voiceProfile: "warm_gravel" }, "any")).toBe("warm_gravel");
  expect(soundOf({ voice: null, voiceProfile: null }, {}, "any")).toBe("any");
});
