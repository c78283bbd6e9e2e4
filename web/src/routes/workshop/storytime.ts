/** A book at a moment of its story: what is told up to the end of a scene. */
import type { Fact } from "./facts";

/** The facts of the story bible, and those of the scenes up to this one; all of them at 0. */
export function upTo(facts: readonly Fact[], scenes: readonly string[], at: number): Fact[] {
  if (!at) return [...facts];
  const told = new Set(scenes.slice(0, at));
  return facts.filter(({ file }) => !file.startsWith("manuscript/") || told.has(sceneOf(file)));
}

export function sceneOf(file: string): string {
  return file.replace(/^manuscript\/|\.md$/g, "");
}
