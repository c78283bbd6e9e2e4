/** The file of a scene with what was changed in the form: each change in its own place, and nothing else. */
import { readWritten, rewritten, type Place } from "../../parts/written";

type Values = Readonly<Record<string, unknown>>;

/** The keys that the form has a field for, each behind those that a new one stands behind. */
const ORDER = ["name", "prompt", "setting", "goal", "characters", "initialSpeaker", "maxBeats", "budget", "events", "parts"];
const IN_A_SHEET = ["note", "secrets", "enters", "leaves", "playedBy", "wait"];

interface Change {
  readonly place: Place;
  readonly value: unknown;
}

/** The text of a file after a scene in it has become another. Both are as they are sent. */
export function sceneText(text: string, before: Values, after: Values, isJson: boolean): string {
  const inFile = (place: Place) => readWritten(text).value(spelled(text, place));
  const listed = Array.isArray(inFile(["goal"]));
  const found = changes(listed ? withList(before) : before, listed ? withList(after) : after, inFile);
  const cast = (after.characters as readonly string[]).map((name) => name.toLowerCase());
  const left = keysAt(text, ["parts"]).filter((name) => !cast.includes(name.toLowerCase()));
  const all = [...found, ...left.map((name) => ({ place: ["parts", name], value: undefined }))];
  return all.reduce((now, { place, value }) => rewritten(now, spelled(now, place), value, isJson, spelledOrder(now)), text);
}

/** The keys of the file that the form has no field for. */
export function unseenKeys(text: string): string[] {
  const sheets = keysAt(text, ["parts"]).flatMap((name) =>
    keysAt(text, ["parts", name]).filter((key) => !IN_A_SHEET.includes(camel(key))).map((key) => `${key} (${name})`),
  );
  return [...keysAt(text, []).filter((key) => !ORDER.includes(camel(key))), ...sheets];
}

/** The keys under which two scenes differ. */
export const differences = (one: Values, other: Values): string[] => [...new Set(changes(one, other, () => null).map(({ place }) => String(place[0])))];

/** What has to be done to make one scene of the other; `inFile` is what stands at a place, for lists that are not written as they are sent. */
function changes(before: Values, after: Values, inFile: (place: Place) => unknown, place: Place = []): Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const [old, now, here] = [before[key], after[key], [...place, key]];
    if (JSON.stringify(old ?? null) === JSON.stringify(now ?? null)) return [];
    if (isTable(now)) return changes(isTable(old) ? old : {}, now, inFile, here);
    const written = inFile(here);
    if (!Array.isArray(old) || !Array.isArray(now) || !Array.isArray(written) || written.length !== old.length) return [{ place: here, value: now }];
    return itemChanges(old, now, inFile, here);
  });
}

/** Items that are alike at both ends stay; those between are changed one by one, the rest are added or go. */
function itemChanges(old: readonly unknown[], now: readonly unknown[], inFile: (place: Place) => unknown, place: Place): Change[] {
  const alike = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && alike(old[start], now[start])) start += 1;
  let end = 0;
  while (old.length > now.length && end < shorter - start && alike(old.at(-1 - end), now.at(-1 - end))) end += 1;
  const changed = now.slice(start, now.length - end).flatMap((item, index) => {
    const [here, was] = [[...place, start + index], old[start + index]];
    return isTable(item) && isTable(was) ? changes(was, item, inFile, here) : [{ place: here, value: item }];
  });
  const gone = Array.from({ length: Math.max(0, old.length - now.length) }, (_, index) => old.length - end - 1 - index);
  return [...changed, ...gone.map((index) => ({ place: [...place, index], value: undefined }))];
}

/** A place by the keys that the file has: `max_beats` for `maxBeats`, `Bob` for `bob`. */
function spelled(text: string, place: Place): Place {
  return place.reduce<Place>((so, key) => {
    if (typeof key === "number") return [...so, key];
    const known = keysAt(text, so);
    const same = [key, snake(key)].find((one) => known.includes(one)) ?? known.find((one) => one.toLowerCase() === key.toLowerCase());
    const isName = so.length === 1 && so[0] === "parts";
    return [...so, same ?? (usesSnake(text) && !isName ? snake(key) : key)];
  }, []);
}

const spelledOrder = (text: string) => ORDER.map((key) => String(spelled(text, [key])[0]));
const usesSnake = (text: string) => /^[ \t]*"?(initial_speaker|max_beats|played_by|world_events|stage_directions)"?:/m.test(text);
const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const isTable = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

function keysAt(text: string, place: Place): string[] {
  const value = readWritten(text).value(place);
  return isTable(value) ? Object.keys(value) : [];
}

/** A goal that is a list of sub-goals, one on each line, as that list. */
function withList(scene: Values): Values {
  const lines = String(scene.goal ?? "").split("\n").filter(Boolean);
  const isList = lines.length > 0 && lines.every((line) => line.startsWith("- "));
  return isList ? { ...scene, goal: lines.map((line) => line.slice(2).trim()) } : scene;
}
