/** Amounts as people write them. */
import { say } from "../../words/say";

/** An amount in dollars; an unknown one is never shown as zero. */
export function money(usd: number | null | undefined): string {
  if (usd == null) return say("stage.usd.unknown");
  return `$${usd.toFixed(usd >= 1 || usd === 0 ? 2 : 4)}`;
}

/** The middle of a day, in seconds since 1970: the same day wherever the reader is. */
export function noon(day: string): number {
  return Date.parse(`${day}T12:00:00Z`) / 1000;
}
