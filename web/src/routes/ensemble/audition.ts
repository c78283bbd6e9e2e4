/** Hearing a voice before it is given to a seat: one sentence, spoken here, in the reader's language. */
import { ServerError, sound } from "../../api/client";
import { playSound } from "../../parts/hearing.svelte";
import { say } from "../../words/say";
import type { SeatChange } from "./seats";

interface Seat {
  readonly voice?: string | null;
  readonly voiceProfile?: string | null;
}

/** What a seat sounds like: its voice, else its profile, as they were changed here. */
export function soundOf(seat: Seat, own: SeatChange, fallback: string): string {
  return own.voice || seat.voice || own.voiceProfile || seat.voiceProfile || fallback;
}

let heard: AbortController | undefined;

const spoken = (voice: string, input: string) => sound("/v1/audio/speech", { model: "voice/default", voice, input });

/** In the reader's language, or in English if no voice here speaks that. */
async function sentence(voice: string): Promise<ArrayBuffer> {
  try {
    return await spoken(voice, say("audition.sentence"));
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== "LINE_UNSPEAKABLE") throw error;
    const { default: english } = await import("../../words/en.json");
    return spoken(voice, english["audition.sentence"]);
  }
}

/** Speaks, and returns when it was heard or something else is heard instead. Raises ServerError if it cannot. */
export async function audition(voice: string): Promise<void> {
  const recorded = await sentence(voice);
  heard?.abort();
  heard = new AbortController();
  await playSound(new Blob([recorded]), heard.signal);
}
