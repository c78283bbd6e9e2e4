/** A text in YAML or JSON and a form over it: the text is the only state, a field reads it and rewrites its own place. */
import { isMap, isNode, LineCounter, parseDocument, type Document } from "yaml";

/** The keys that lead to a value: `["beats", 1, "deadline"]`. */
export type Place = readonly (string | number)[];

export interface Written {
  /** Why the text cannot be read, and in which line; null if it can. */
  readonly problem: { readonly message: string; readonly line: number } | null;
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
    value: (place) => place.reduce<unknown>((inside, key) => (inside as Record<string | number, unknown> | null | undefined)?.[key], values),
    lineOf: (place) => line(offsetOf(document, place)),
  };
}

function offsetOf(document: Document, place: Place): number {
  for (let depth = place.length; depth > 0; depth -= 1) {
    const parent = depth === 1 ? document.contents : document.getIn(place.slice(0, depth - 1), true);
    const key = isMap(parent) ? parent.items.find((pair) => String(pair.key) === String(place[depth - 1]))?.key : null;
    const node = key ?? document.getIn(place.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** The text with another value at a place; without the key if nothing is left of it. Comments and order stay. */
export function rewritten(text: string, place: Place, value: unknown, isJson = false): string {
  const document = parseDocument(text, HOW);
  if (isEmpty(value)) forget(document, place);
  else {
    for (let depth = 0; depth < place.length; depth += 1) {
      const parent = place.slice(0, depth);
      if (document.getIn(parent) == null) document.setIn(parent, document.createNode(typeof place[depth] === "number" ? [] : {}));
    }
    document.setIn(place, isPlain(value) ? value : document.createNode(value, { flow: Array.isArray(value) }));
  }
  return printed(document, text, isJson);
}

/** The text with another key for the value at a place, which stays where it is. */
export function renamed(text: string, place: Place, key: string, isJson = false): string {
  const document = parseDocument(text, HOW);
  const parent = place.length === 1 ? document.contents : document.getIn(place.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find((one) => String(one.key) === String(place.at(-1))) : undefined;
  if (pair) pair.key = document.createNode(key);
  return printed(document, text, isJson);
}

function printed(document: Document, before: string, isJson: boolean): string {
  return isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString(styleOf(before));
}

/** Without a value, and without what held nothing else. */
function forget(document: Document, place: Place): void {
  if (!document.hasIn(place)) return;
  document.deleteIn(place);
  const parent = place.slice(0, -1);
  if (!parent.length) return;
  const left = document.getIn(parent, true);
  if (left && typeof left === "object" && "items" in left && Array.isArray(left.items) && !left.items.length) forget(document, parent);
}

const isPlain = (value: unknown) => typeof value !== "object";
const isEmpty = (value: unknown) => value === "" || value === null || value === undefined || (Array.isArray(value) && !value.length);

/** How the author writes lists and braces, so that only what was changed changes. */
const styleOf = (text: string) => ({
  lineWidth: 0,
  indentSeq: !/:[ \t]*\n- /.test(text),
  flowCollectionPadding: /\{ /.test(text),
});
