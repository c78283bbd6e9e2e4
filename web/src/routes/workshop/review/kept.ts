/** The edited document that is being read, kept in this tab: a reload loses neither it nor what was decided. */
import type { Sent } from "../import/file";
import type { Decisions } from "./review";

export interface KeptReview extends Sent {
  readonly decided: Decisions;
}

const KEY = "dramaturg.review";

export function keepReview(review: KeptReview | null): void {
  try {
    if (review) sessionStorage.setItem(KEY, JSON.stringify(review));
    else sessionStorage.removeItem(KEY);
  } catch {
    sessionStorage.removeItem(KEY); // too large to keep: rather none than an older one
  }
}

export function recallReview(): KeptReview | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as KeptReview | null;
  } catch {
    return null;
  }
}
