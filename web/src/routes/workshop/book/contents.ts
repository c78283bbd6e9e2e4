/** The list of what a book has, as a writer reads it. */

export interface Placed {
  readonly name: string;
  readonly chapter: string;
}

/** Scenes under their chapters, in the order of their files. */
export function byChapter<Scene extends Placed>(scenes: readonly Scene[]): { chapter: string; scenes: Scene[] }[] {
  const found = new Map<string, Scene[]>();
  for (const scene of scenes) found.set(scene.chapter, [...(found.get(scene.chapter) ?? []), scene]);
  return [...found].map(([chapter, inside]) => ({ chapter, scenes: inside }));
}

/** The scene after the last one of its chapter: `ch04-sc02` after `ch04-sc01`. */
export function nextScene(names: readonly string[]): string {
  const places = names.flatMap((name) => [...name.matchAll(/ch(\d+)-sc(\d+)/g)].map(([, chapter, scene]) => [Number(chapter), Number(scene)] as const));
  const [chapter, scene] = places.sort((one, other) => one[0] - other[0] || one[1] - other[1]).at(-1) ?? [1, 0];
  return `ch${String(chapter).padStart(2, "0")}-sc${String(scene + 1).padStart(2, "0")}`;
}

/** How many words a writer would count, without the settings at the top: as the server counts them. */
export function countWords(text: string): number {
  const prose = text.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, "");
  return prose.split(/\s+/).filter((run) => /[\p{L}\p{N}]/u.test(run)).length;
}
