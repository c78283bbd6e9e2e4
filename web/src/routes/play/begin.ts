/** Starting an episode. A guest becomes a player by it; a repeated request starts no second session. */
import type { Schemas } from "../../api/client";
import { ServerError } from "../../api/client";
import { ask, keepToken, newId } from "../../api/player";

const tickets = new Map<string, string>();

export async function begin(episode: string, name: string, key: string): Promise<Schemas["SessionView"]> {
  const headers: Record<string, string> = { "Idempotency-Key": key };
  const ticket = tickets.get(episode);
  if (ticket !== undefined) headers["X-Waiting-Ticket"] = ticket;
  try {
    const started = await ask<Schemas["SessionWithToken"]>("POST", "/v1/sessions", { template: episode, name }, headers);
    keepToken(started.player_token);
    return started.session;
  } catch (error) {
    if (error instanceof ServerError && typeof error.context.ticket === "string") tickets.set(episode, error.context.ticket);
    throw error;
  }
}

export const newKey = newId;
