import { afterEach, expect, test, vi } from "vitest";
import { afterShown, newTurn, type Shown } from "../folds/turn";
import { consult } from "./consult";

const frame = (id: string, event: object) => `id: ${id}\ndata: ${JSON.stringify({ turn: 3, ...event })}\n\n`;
const SENT = frame("1.0", { event: "prompt.sent", model: "m", tier: "full", tokens: 10, blindSpots: 0 });
const HALF = frame("1.5", { event: "message.delta", text: "She " });
const REST = frame("1.9", { event: "message.delta", text: "waits." });
const END = frame("2", { event: "message.done", text: "She waits." }) + frame("3", { event: "done", answered: true });

/** Bodies that the server sends one after the other; one that ends in `!` breaks off there. */
function serve(...answers: string[]) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    asked.push(`${init.method ?? "GET"} ${path} ${new Headers(init.headers).get("Last-Event-ID") ?? ""}`.trim());
    const answer = answers.shift() ?? "";
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(answer.replace(/!$/, "")));
        if (!answer.endsWith("!")) controller.close();
      },
      pull(controller) {
        if (answer.endsWith("!")) controller.error(new TypeError("network"));
      },
    });
    return new Response(body);
  });
  return asked;
}

async function conversation(message: string) {
  let turn = newTurn(message);
  const seen: Shown[] = [];
  await consult("/v1/projects/main", message, (event) => (seen.push(event), (turn = afterShown(turn, event))), async () => {});
  return { turn, seen };
}

afterEach(() => vi.unstubAllGlobals());

test("the network is lost in the middle of an answer: the message is sent once, and nothing of the answer is missing", async () => {
  const asked = serve(`${SENT}${HALF}!`, `${REST}${END}`);
  const { turn } = await conversation("Where is she?");
  expect(turn).toMatchObject({ asked: "Where is she?", message: "She waits.", over: true, turn: 3 });
  expect(asked).toEqual(["POST /v1/projects/main/consult", "GET /v1/projects/main/consultations/3/events 1.5"]);
});

test("what is done, refused and offered is kept apart", async () => {
  serve(
    frame("1", { event: "action.done", said: "Written." }) +
      frame("2", { event: "action.refused", reason: "The gate is closed." }) +
      frame("3", { event: "action.offered", said: "Go on to voice?" }) +
      END,
  );
  const { turn } = await conversation("Go on.");
  expect(turn).toMatchObject({ done: ["Written."], refused: ["The gate is closed."], offered: ["Go on to voice?"] });
});

test("a message that never arrived is said to have failed, and is not sent twice", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    throw new TypeError("offline");
  });
  await expect(conversation("Hello?")).rejects.toThrow("The server cannot be reached");
  expect(asked).toHaveLength(1);
});
