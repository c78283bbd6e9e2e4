/** Starting an episode, or a talk with a character. A guest becomes a player by it; a repeated request starts no second session. */
import type { Schemas } from "../../api/client";
import { ServerError } from "../../api/client";
import { ask, keepToken, newId } from "../../api/player";

const tickets = new Map<string, string>();

/** Which episode; in the studio, also which character. */
export type Wanted = { readonly template: string; readonly name?: string } | { readonly character: string };

export async function begin(wanted: Wanted, key: string): Promise<Schemas["SessionView"]> {
  const headers: Record<string, string> = { "Idempotency-Key": key };
  const whom = JSON.stringify(wanted);
  const ticket = tickets.get(whom);
  if (ticket !== undefined) headers["X-Waiting-Ticket"] = ticket;
  try {
    const started = await ask<Schemas["SessionWithToken"]>("POST", "/v1/sessions", wanted, headers);
    keepToken(started.player_token);
    return started.session;
  } catch (error) {
    if (error instanceof ServerError && typeof error.context.ticket === "string") tickets.set(whom, error.context.ticket);
    throw error;
  }
}

export const newKey = newId;
