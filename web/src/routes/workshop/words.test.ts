import { expect, test } from "vitest";
import { emphasised, spoken } from "./words";

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
