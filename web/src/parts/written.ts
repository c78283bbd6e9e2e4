/** A text in YAML or JSON and a form over it: the text is the only state, a field reads it and rewrites its own place. */
import { Document, isCollection, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit, YAMLMap, type Pair } from "yaml";

/** The keys that lead to a value: `["beats", 1, "deadline"]`. */
export type Place = readonly (string | number)[];

export interface Written {
  /** Why the text cannot be read, and in which line; null if it can. */
  readonly problem: { readonly message: string; readonly line: number } | null;
  /** Whether one value stands in several places, by anchors, so that changing it there changes it here. */
  readonly tied: boolean;
  value(place: Place): unknown;
  /** The line of the last key that is there on the way to a place, from 1. */
  lineOf(place: Place): number;
}

/** As the server reads it: `no` is no text there. */
const HOW = { version: "1.1" } as const;

export function readWritten(text: string): Written {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...HOW, lineCounter: lines });
  const line = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const [error] = document.errors;
  const values: unknown = error ? null : document.toJS();
  return {
    problem: error ? { message: error.message.split("\n")[0]?.replace(/ at line .*/, "") ?? "", line: line(error.pos[0]) } : null,
    tied: isTied(document),
    value: (place) => place.reduce<unknown>((inside, key) => (inside as Record<string | number, unknown> | null | undefined)?.[key], values),
    lineOf: (place) => line(offsetOf(document, place)),
  };
}

function isTied(document: Document): boolean {
  let found = false;
  visit(document, { Alias: () => ((found = true), visit.BREAK) });
  return found;
}

function offsetOf(document: Document, place: Place): number {
  for (let depth = place.length; depth > 0; depth -= 1) {
    const parent = depth === 1 ? document.contents : document.getIn(place.slice(0, depth - 1), true);
    const node = pairOf(parent, place[depth - 1])?.key ?? document.getIn(place.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/**
 * The text with another value at a place; without the key if nothing is left of it. What stands elsewhere stays as it is, comments too.
 * A new key of the file itself stands behind the nearest of those that go before it in `order`, otherwise at the end.
 */
export function rewritten(text: string, place: Place, value: unknown, isJson = false, order: readonly string[] = []): string {
  if (text.includes("\r\n")) return rewritten(text.replaceAll("\r\n", "\n"), place, value, isJson, order).replaceAll("\n", "\r\n");
  const document = parseDocument(text, HOW);
  const gone = isEmpty(value);
  if (gone && !document.hasIn(place)) return text;
  const target = gone ? emptied(document, place) : place;
  const block = blockOf(document, text, target, gone);
  if (gone) document.deleteIn(target);
  else write(document, place, value);
  if (isJson) return `${JSON.stringify(document.toJS(), null, /^[ \t]+/m.exec(text)?.[0] ?? 2)}\n`;
  return block ? replaced(text, block, order) : document.toString(styleOf(text));
}

/** The text with another key for the value at a place, which stays where it is. */
export function renamed(text: string, place: Place, key: string, isJson = false): string {
  const document = parseDocument(text, HOW);
  const old = pairOf(place.length === 1 ? document.contents : document.getIn(place.slice(0, -1), true), place.at(-1))?.key;
  if (!isNode(old) || !old.range) return text;
  const written = isJson ? JSON.stringify(key) : new Document(key, HOW).toString({ lineWidth: 0 }).trimEnd();
  return text.slice(0, old.range[0]) + written + text.slice(old.range[1]);
}

function write(document: Document, place: Place, value: unknown): void {
  for (let depth = 0; depth < place.length; depth += 1) {
    const parent = place.slice(0, depth);
    if (document.getIn(parent) == null) document.setIn(parent, document.createNode(typeof place[depth] === "number" ? [] : {}));
  }
  document.setIn(place, isPlain(value) ? value : document.createNode(value, { flow: Array.isArray(value) && isShort(value) }));
  const node = document.getIn(place, true);
  if (isScalar(node) && String(value).includes("\n") && node.type !== "BLOCK_FOLDED") node.type = "BLOCK_LITERAL";
}

/** What goes with a value: the place itself, or that of what holds nothing else. */
function emptied(document: Document, place: Place): Place {
  const parent = place.slice(0, -1);
  const held = parent.length ? document.getIn(parent, true) : null;
  return isCollection(held) && held.items.length === 1 ? emptied(document, parent) : place;
}

/** A pair that is written on lines of its own, or the place for one. */
interface Block {
  readonly map: YAMLMap;
  readonly key: string | number;
  /** Where the pair begins and ends in the text; null if there is none yet. */
  readonly range: readonly [number, number] | null;
  readonly column: number;
  /** Where a pair behind each key of the map would begin. */
  readonly behind: ReadonlyMap<string, number>;
}

/** The smallest block around a place, as it is before anything changes. A pair that shares its first line with a dash does not go alone. */
function blockOf(document: Document, text: string, place: Place, gone: boolean): Block | null {
  let found: Block | null = null;
  let held: unknown = document.contents;
  for (const key of place) {
    if (isSeq(held) && !held.flow) held = held.items[Number(key)];
    else if (isMap(held) && !held.flow && held.items.length) {
      const block = blockAt(held, text, key);
      const shared = block.range && text.slice(lineStart(text, block.range[0]), block.range[0]).trim();
      if (!(gone && shared)) found = block;
      held = pairOf(held, key)?.value;
    } else break;
  }
  return found;
}

function blockAt(map: YAMLMap, text: string, key: string | number): Block {
  const ranges = new Map(map.items.map((pair) => [String(pair.key), rangeOf(pair)]));
  const first = [...ranges.values()][0]?.[0] ?? 0;
  const behind = new Map([...ranges].map(([one, [, end]]) => [one, lineEnd(text, end)]));
  return { map, key, range: ranges.get(String(key)) ?? null, column: first - lineStart(text, first), behind };
}

function rangeOf({ key, value }: Pair): [number, number] {
  const [start, end] = (isNode(key) && key.range) || [0, 0];
  return [start, (isNode(value) && value.range?.[1]) || end];
}

/** The text with a block as it is now in the document; nothing else of it is printed anew. */
function replaced(text: string, { map, key, range, column, behind }: Block, order: readonly string[]): string {
  const pair = pairOf(map, key);
  if (!range) {
    const before = order.slice(0, order.indexOf(String(key))).findLast((one) => behind.has(one));
    const at = (before === undefined ? undefined : behind.get(before)) ?? Math.max(...behind.values());
    return `${ended(text.slice(0, at))}${" ".repeat(column)}${printed(pair, column, text)}\n${text.slice(at)}`;
  }
  const [start, end] = range;
  if (!pair) return text.slice(0, lineStart(text, start)) + text.slice(lineEnd(text, end));
  const old = text.slice(start, end);
  const now = printed(pair, column, text, old);
  const close = old.endsWith("\n") ? "\n" : "";
  const remark = close ? "" : text.slice(end, lineEnd(text, end)).trim();
  if (!remark || !now.includes("\n")) return text.slice(0, start) + now + close + text.slice(end);
  return `${text.slice(0, start)}${remark}\n${" ".repeat(column)}${now}\n${text.slice(lineEnd(text, end))}`;
}

/** A pair by itself, as wide as it was written; what stands before and behind it is in the text already. */
function printed(pair: Pair | undefined, column: number, text: string, old = ""): string {
  const rows = old.split("\n");
  const width = rows.length > 1 ? Math.max(NARROW, ...rows.map((row) => row.length - column)) : 0;
  const alone = new Document(null, HOW);
  if (isNode(pair?.key)) Object.assign(pair.key, { commentBefore: null, spaceBefore: false });
  if (isNode(pair?.value)) pair.value.comment = null;
  const map = new YAMLMap();
  if (pair) map.items.push(pair);
  alone.contents = map as Document.Parsed["contents"];
  const lines = alone.toString({ ...styleOf(text), lineWidth: width }).trimEnd().split("\n");
  return lines.map((line, at) => (at && line ? " ".repeat(column) + line : line)).join("\n");
}

const NARROW = 60;
const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1;
/** The end of the line in which something ends; what ends with its line is there already. */
const lineEnd = (text: string, at: number) => (text[at - 1] === "\n" ? at : (text.indexOf("\n", at) + 1 || text.length));
const ended = (text: string) => (!text || text.endsWith("\n") ? text : `${text}\n`);
const pairOf = (map: unknown, key: unknown) => (isMap(map) ? map.items.find((pair) => String(pair.key) === String(key)) : undefined);
const isPlain = (value: unknown) => typeof value !== "object";
const isShort = (value: unknown) => JSON.stringify(value).length <= 80;
const isEmpty = (value: unknown) => value === "" || value === null || value === undefined || (Array.isArray(value) && !value.length);

/** How the author writes lists and braces, so that only what was changed changes. */
const styleOf = (text: string) => ({
  lineWidth: 0,
  indentSeq: !/:[ \t]*\n- /.test(text),
  flowCollectionPadding: /\{ /.test(text),
});
