import type { Refusal } from "../words/refusals";

/** Why something was refused, in the reader's language. Nobody waits for these words before something is. */
export async function told(refusal: Refusal, toPlayer = false): Promise<string> {
  const { worded } = await import("../words/refusals");
  return worded(refusal, toPlayer);
}
