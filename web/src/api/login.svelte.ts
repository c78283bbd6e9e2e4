/** The author's login. A request that needs one waits for it, and is then made again: nothing typed is lost. */
import type { Refusal } from "../words/refusals";
import { told } from "./told";

type Waiting = () => void;

class Login {
  /** Whether the page asks for the server's token. */
  asked = $state(false);
  /** Whether there is a login that can be ended. */
  here = $state(false);
  #waiting: Waiting[] = [];

  /** Resolves once the author has logged in. */
  need(): Promise<void> {
    this.asked = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Logs in, and lets everything go on that waited. Resolves to what the server says if it refuses. */
  async begin(token: string): Promise<string> {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ token });
    const answer = await fetch("/v1/login", { method: "POST", headers, body, credentials: "same-origin" });
    if (!answer.ok) return await messageOf(await answer.json());
    if (!(await this.look())) return "cookies";
    this.asked = false;
    for (const goOn of this.#waiting.splice(0)) goOn();
    return "";
  }

  /** Ends the login; the page begins anew without it. */
  async end(): Promise<void> {
    await fetch("/v1/login", { method: "DELETE", credentials: "same-origin" });
    location.assign("/");
  }

  /** Asks the server whether this browser is the author's. */
  async look(): Promise<boolean> {
    const answer = await fetch("/v1/login", { credentials: "same-origin" });
    const { needed, author } = (await answer.json()) as { needed: boolean; author: boolean };
    this.here = needed && author;
    return author;
  }
}

async function messageOf(body: unknown): Promise<string> {
  const { error } = body as { error?: Refusal };
  return error ? told(error) : "?";
}

export const login = new Login();
