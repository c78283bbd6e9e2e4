import { expect, test } from "vitest";
import german from "../../words/values.de.json";
import { emphasised, named, spoken } from "./words";

test("strong words stand apart, and stars that mean nothing stay", () => {
  expect(emphasised("**GAP: the arc.** What * is it?")).toEqual([
    { text: "GAP: the arc.", strong: true },
    { text: " What * is it?", strong: false },
  ]);
  expect(emphasised("<b>no</b>")).toEqual([{ text: "<b>no</b>", strong: false }]);
});

test("names of modes and fields are read as words", () => {
  expect(spoken("VOICE_CALIBRATION")).toBe("voice calibration");
  expect(spoken("Protagonist: arc_midpoint, arc_resolution")).toBe("Protagonist: arc midpoint, arc resolution");
});

test("a mode and a state have the reader's words, and one that only a newer server has is read as it is", () => {
  expect(named("mode", "VOICE_CALIBRATION")).toBe("voice calibration");
  expect(named("mode", "VOICE_CALIBRATION", german)).toBe("Stimmprobe");
  expect(named("page", "not_started", german)).toBe("nicht begonnen");
  expect(named("strategy", "SLOW_BURN", german)).toBe("slow burn");
});
