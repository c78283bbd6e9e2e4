import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf-8");
const [, light = "", dark = "", stage = ""] = css.split(/\[data-theme="light"\] \{|prefers-color-scheme: dark\)|\[data-theme="dark"\]/);

function colours(part: string): Map<string, string> {
  return new Map([...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", hex = ""]) => [name, hex]));
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const TEXT = ["ink", "soft", "curtain", "good", "warn", "bad", ...[1, 2, 3, 4, 5, 6].map((voice) => `voice-${voice}`)];

test.each([
  ["light", colours(light)],
  ["dark", colours(dark)],
])("text can be read in the %s theme, and controls can be seen", (_, theme) => {
  expect(theme.size).toBe(17);
  const of = (name: string) => theme.get(name) ?? "#000000";
  for (const ground of ["paper", "sheet"]) {
    for (const name of TEXT) expect([name, contrast(of(name), of(ground)) >= 4.5]).toEqual([name, true]);
    expect(contrast(of("rule"), of(ground))).toBeGreaterThanOrEqual(3);
  }
  expect(contrast(of("on-curtain"), of("curtain"))).toBeGreaterThanOrEqual(4.5);
});

test("the dark stage of an ensemble is the dark theme", () => {
  expect(colours(stage)).toEqual(colours(dark));
});

test("the page of a shared result, which the server makes, has the same colours", () => {
  const page = readFileSync(new URL("../../../src/dramaturg/server/pages/static/result.css", import.meta.url), "utf-8");
  const [own = "", ownDark = ""] = page.split("prefers-color-scheme: dark");
  for (const [used, theme] of [
    [colours(own), colours(light)],
    [colours(ownDark), colours(dark)],
  ] as const) {
    expect(used.size).toBe(7);
    for (const [name, hex] of used) expect([name, hex]).toEqual([name, theme.get(name)]);
  }
});
