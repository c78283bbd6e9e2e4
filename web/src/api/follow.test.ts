import { afterEach, expect, test, vi } from "vitest";
import { follow, type Connection } from "./follow";

interface Entry {
  seq: number;
}

const frame = (seq: number) => `id: ${seq}\nevent: line.spoken\ndata: {"seq":${seq}}\n\n`;

/** A server that answers each request with the next of these bodies; a body that is an error breaks off there. */
function serve(...answers: (string[] | number)[]) {
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    asked.push(new Headers(init.headers).get("Last-Event-ID"));
    const answer = answers.shift() ?? 204;
    if (typeof answer === "number") return new Response(answer === 204 ? null : "{}", { status: answer });
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of answer) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    return new Response(body);
  });
  return asked;
}

function followed(): Promise<{ seen: number[]; states: Connection[]; error: string }> {
  return new Promise((resolve) => {
    const seen: number[] = [];
    const states: Connection[] = [];
    follow<Entry>(
      "/v1/runs/x/events",
      {
        entries: (batch) => seen.push(...batch.map((entry) => entry.seq)),
        connection: (now) => (states.push(now), now === "over" && resolve({ seen, states, error: "" })),
        failed: (error) => resolve({ seen, states, error: error.code }),
      },
      async () => {},
    );
  });
}

afterEach(() => vi.unstubAllGlobals());

test("after the network was lost in the middle of a frame, nothing is missing and nothing comes twice", async () => {
  const asked = serve([frame(1), frame(2).slice(0, 20)], 503, [frame(2), frame(3)]);
  const { seen, states } = await followed();
  expect(seen).toEqual([1, 2, 3]);
  expect(asked).toEqual([null, "1", "1", "3"]);
  expect(states.at(-1)).toBe("over");
});

test("entries that are sent again are not given again", async () => {
  serve([frame(1), frame(2)], [frame(1), frame(2), frame(3)]);
  expect((await followed()).seen).toEqual([1, 2, 3]);
});

test("a run that is not there is said once, and not asked for again", async () => {
  const asked = serve(404);
  expect((await followed()).error).toBe("UNREADABLE");
  expect(asked).toHaveLength(1);
});

test("a stream of places resumes after the last of them, with the headers it was given", async () => {
  const asked: (string | null)[][] = [];
  const piece = (id: string) => `id: ${id}\ndata: {"type":"chunk"}\n\n`;
  const bodies = [`${piece("17.52")}${piece("17.104")}${piece("17.104~20")}id: 17.9\ndata: {"ty`, 'id: 18\ndata: {"type":"done"}\n\n'];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    asked.push([headers.get("Last-Event-ID"), headers.get("X-Player-Token")]);
    const body = bodies.shift();
    return body === undefined ? new Response(null, { status: 204 }) : new Response(body);
  });
  const seen = await new Promise<string[]>((resolve) => {
    const types: string[] = [];
    follow<{ type: string; seq?: number }>(
      "/v1/sessions/x/events",
      {
        entries: (batch) => types.push(...batch.map(({ type }) => type)),
        connection: (now) => now === "over" && resolve(types),
        failed: () => resolve([]),
      },
      async () => {},
      { "X-Player-Token": "p2" },
      "16",
    );
  });
  expect(seen).toEqual(["chunk", "chunk", "chunk", "done"]);
  expect(asked).toEqual([["16", "p2"], ["17.104~20", "p2"], ["18", "p2"]]);
});
