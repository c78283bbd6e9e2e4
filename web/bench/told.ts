/** A stage whose events are told by a test; everything else comes from the server. */
import type { Page } from "@playwright/test";
import type { SceneEntry } from "../src/folds/scene";

export interface Told {
  tell: (text: string) => void;
}

/** Entries as the server streams them. */
export const wire = (entries: readonly SceneEntry[]) => entries.map((entry) => `id: ${entry.seq}\ndata: ${JSON.stringify(entry)}\n\n`).join("");

export async function openToldStage(page: Page, address = "/scenes/000000000000000000") {
  await page.addInitScript(() => {
    const ours = window as unknown as Told;
    const ask = window.fetch.bind(window);
    const encoder = new TextEncoder();
    const SIZE = 65_536; // as a browser reads from the network
    const piecesOf = (bytes: Uint8Array) => Array.from({ length: Math.ceil(bytes.length / SIZE) }, (_, at) => bytes.slice(at * SIZE, (at + 1) * SIZE));
    window.fetch = (input, init) => {
      if (!String(input).includes("/events?")) return ask(input, init);
      const body = new ReadableStream<Uint8Array>({ start: (control) => void (ours.tell = (text) => piecesOf(encoder.encode(text)).forEach((piece) => control.enqueue(piece))) });
      return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
    };
  });
  await page.goto(address);
  await page.waitForFunction(() => (window as unknown as Told).tell);
}

export const tell = (page: Page, entries: readonly SceneEntry[]) => page.evaluate((text) => (window as unknown as Told).tell(text), wire(entries));
