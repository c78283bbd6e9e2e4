/** Branches as rows of a list: a straight run of messages is one row, each fork begins rows one step further in. */
import type { Schemas } from "../../api/client";

type Message = Schemas["BranchMessage"];

export interface BranchRow {
  readonly id: string;
  readonly role: Message["role"];
  readonly name: string;
  readonly excerpt: string;
  readonly depth: number;
  /** The run is part of the current conversation. */
  readonly current: boolean;
  /** How many messages follow in the same run. */
  readonly hidden: number;
  /** Where choosing this row leads: the newest message of its run. */
  readonly leaf: string;
}

export function tree(messages: readonly Message[]): BranchRow[] {
  const children = new Map<string, Message[]>();
  for (const one of messages) children.set(one.parent, [...(children.get(one.parent) ?? []), one]);
  const rows: BranchRow[] = [];
  // A list of what is still to be shown instead of recursion: a talk may have thousands of messages.
  const open = (children.get("") ?? []).map((one) => ({ first: one, depth: 0 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { first, depth } = next;
    let last = first;
    let hidden = 0;
    let following = children.get(last.id) ?? [];
    while (following.length === 1 && following[0]) {
      last = following[0];
      hidden += 1;
      following = children.get(last.id) ?? [];
    }
    const { id, role, excerpt, current } = first;
    rows.push({ id, role, name: first.name ?? "", excerpt, depth, current, hidden, leaf: last.id });
    open.push(...following.map((one) => ({ first: one, depth: depth + 1 })).reverse());
  }
  return rows;
}
