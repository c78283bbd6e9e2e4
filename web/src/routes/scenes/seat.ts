/** A seat in this browser: its token comes with the link, from an earlier visit of this window, or from the author. */
import { errorOf, unreachable } from "../../api/client";

export async function tokenOfSeat(base: string, take: () => Promise<string>): Promise<string> {
  const key = `dramaturg.seat${base}`;
  const given = location.hash.slice(1);
  if (given) history.replaceState(null, "", location.pathname);
  const token = given || sessionStorage.getItem(key) || (await take());
  sessionStorage.setItem(key, token);
  return token;
}

/** Sends something from a seat; what the server says if it refuses. */
export async function sendFromSeat(path: string, token: string, body: object): Promise<string> {
  const headers = { "Content-Type": "application/json", "X-Seat-Token": token };
  try {
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin" });
    return answer.ok ? "" : (await errorOf(answer)).message;
  } catch {
    return unreachable("error.server.player").message;
  }
}
