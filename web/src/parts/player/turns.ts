/** What is heard of a programme and when: its turns, and which one a moment belongs to. */
import type { Schemas } from "../../api/client";

export interface Turn {
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface Chapter {
  readonly title: string;
  readonly turns: readonly Turn[];
}

/** A sound as one of its files. */
export interface Sound {
  readonly href: string;
  readonly type: string;
}

/** What a player plays. */
export interface Programme {
  readonly title: string;
  /** The same sound in several formats: the browser takes the first that it can play. */
  readonly sounds: readonly Sound[];
  /** The address of the captions, as WebVTT. */
  readonly captions: string;
  readonly turns: readonly Turn[];
  readonly chapters: readonly Schemas["Chapter"][];
  readonly durationMs: number;
  readonly silent: boolean;
}

/** The turn that is heard at a moment; of two that overlap the one that began last. None in a pause. */
export function heardAt<T extends Pick<Turn, "startMs" | "endMs">>(turns: readonly T[], ms: number): T | undefined {
  return turns.findLast(({ startMs, endMs }) => startMs <= ms && ms < endMs);
}

/** The turn before or after a moment. Back leads to the beginning of the turn that is heard, then to the one before it. */
export function neighbour(turns: readonly Turn[], ms: number, by: 1 | -1): Turn | undefined {
  const GRACE = 1500;
  return by > 0 ? turns.find(({ startMs }) => startMs > ms) : (turns.findLast(({ startMs }) => startMs < ms - GRACE) ?? turns[0]);
}

/** The recording of a run. */
export function recordingOf(base: string, manifest: Schemas["ProgrammeManifest"]): Programme {
  const sounds = [{ href: `${base}/programme.wav`, type: "audio/wav" }];
  return { ...manifest, sounds, captions: `${base}/programme.vtt`, turns: manifest.passages };
}

/** The turns of a published programme. An older one says only when each word is heard. */
export function turnsOf({ passages }: Schemas["ProgrammeWords"]): Turn[] {
  return passages
    .map(({ id, speaker, text, startMs, endMs, words }) => ({
      id,
      speaker,
      text: text || words.map(({ word }) => word).join(" "),
      startMs: startMs || (words[0]?.startMs ?? 0),
      endMs: endMs || (words.at(-1)?.endMs ?? 0),
    }))
    .filter(({ text }) => text);
}

/** The turns under their chapters; without chapters they stand in one without a title. */
export function inChapters(turns: readonly Turn[], chapters: readonly Schemas["Chapter"][]): Chapter[] {
  const starts = chapters.length ? chapters : [{ title: "", startMs: 0, endMs: Infinity }];
  return starts
    .map(({ title, startMs }, at) => ({
      title,
      turns: turns.filter((turn) => (at === 0 || turn.startMs >= startMs) && turn.startMs < (starts[at + 1]?.startMs ?? Infinity)),
    }))
    .filter((chapter) => chapter.turns.length);
}

const VOICES = 6;

/** A colour for each speaker, in the order in which they are first heard. */
export function voices(turns: readonly Turn[]): ReadonlyMap<string, string> {
  const names = [...new Set(turns.map(({ speaker }) => speaker))];
  return new Map(names.map((name, place) => [name, `var(--voice-${(place % VOICES) + 1})`]));
}

/** A moment as a clock shows it: 1:02:03, 2:03. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [, ...shown] = parts[0] ? [0, ...parts] : parts;
  return shown.map((part, at) => (at ? String(part).padStart(2, "0") : String(part))).join(":");
}
