/** What can be done from anywhere, by typing a part of its name. */
import { get, type Schemas } from "../api/client";
import { say } from "../words/say";

export interface Command {
  readonly name: string;
  readonly hint: string;
  readonly href: string;
}

export function pages(): Command[] {
  const page = (name: string, href: string): Command => ({ name, hint: say("palette.page"), href });
  return [
    page(say("nav.home"), "/"),
    page(say("nav.scenes"), "/scenes"),
    page(say("scenes.compose"), "/compose"),
    page(say("acts.title"), "/acts"),
    page(say("nav.characters"), "/characters"),
    page(say("nav.workshop"), "/workshop"),
    page(say("book.title"), "/workshop/book"),
    page(say("board.title"), "/workshop/board"),
    page(say("drafts.title"), "/workshop/drafts"),
    page(say("versions.title"), "/workshop/versions"),
    page(say("thread.title"), "/workshop/thread"),
    page(say("import.title"), "/workshop/import"),
    page(say("review.title"), "/workshop/review"),
    page(say("patches.title"), "/workshop/patches"),
    page(say("health.title"), "/workshop/health"),
    page(say("graph.title"), "/workshop/graph"),
    page(say("lineup.title"), "/workshop/lineup"),
    page(say("nav.runs"), "/runs"),
    page(say("costs.title"), "/costs"),
  ];
}

/** Scenes to change, characters and recent runs of scenes. */
export async function things(): Promise<Command[]> {
  const [{ scenes }, { characters }, { runs }] = await Promise.all([
    get<Schemas["SceneList"]>("/v1/scenes"),
    get<Schemas["CharacterList"]>("/v1/characters"),
    get<Schemas["RunList"]>("/v1/runs?kind=scene&limit=20"),
  ]);
  return [
    ...scenes.map((one) => ({ name: one.title || one.name, hint: say("palette.scene"), href: `/compose?from=${encodeURIComponent(one.name)}` })),
    ...characters.map((one) => ({ name: one.displayName || one.name, hint: say("palette.character"), href: `/characters/${encodeURIComponent(one.name)}` })),
    ...runs.map((one) => ({ name: one.name, hint: `${say("palette.run")} · ${say(`status.${one.status}`)}`, href: `/scenes/${one.run}` })),
  ];
}

/** Commands that have every typed word in them; those that begin with what was typed come first. */
export function matching(commands: readonly Command[], typed: string, most = 12): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ name, hint }) => words.every((word) => `${name} ${hint}`.toLowerCase().includes(word)));
  const begins = ({ name }: Command) => (name.toLowerCase().startsWith(typed.trim().toLowerCase()) ? 0 : 1);
  return found.sort((one, other) => begins(one) - begins(other)).slice(0, most);
}
