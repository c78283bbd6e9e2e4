import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { asked, begun, fold, refreshed, said, type Session, type SessionView, type StreamEvent } from "./session";

interface Recorded {
  opened: SessionView;
  turns: { said: string; events: StreamEvent[]; view: SessionView }[];
}

const FOLDER = new URL("./recorded/sessions/", import.meta.url);
const logs = readdirSync(FOLDER).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(new URL(file, FOLDER), "utf-8")) as Recorded),
}));

/** The player's part of a turn; where the character speaks first, there is none. */
function spoken(session: Session, { said: text, view }: Recorded["turns"][number]): Session {
  return text ? said(session, text, `mine-${view.mark}`) : session;
}

/** What a player sees of a session. */
function shown({ messages, story, choices, status, director, ...view }: SessionView) {
  const { completion_trigger, evaluation, evaluation_status, suggestion, busy, retry } = view;
  const lines = messages.map(({ role, content, care }) => [role, content, care]);
  const end = [status, completion_trigger, evaluation, evaluation_status, suggestion];
  return { lines, story, choices, director, end, busy, retry };
}

describe.each(logs)("the talk $file", ({ opened, turns }) => {
  test("is after each turn what the server's fold says, without asking for it", () => {
    let session = begun(opened);
    for (const turn of turns) {
      session = fold(turn.events, spoken(session, turn));
      expect(shown(session.view)).toEqual(shown(turn.view));
      expect([session.live, session.stale]).toEqual([null, true]);
    }
  });

  test("is the same where the server's view takes over after each turn, and events come twice", () => {
    let session = begun(opened);
    for (const turn of turns) {
      session = refreshed(fold(turn.events, spoken(session, turn)), turn.view);
      expect(shown(fold(turn.events, session).view)).toEqual(shown(turn.view));
      expect(session.stale).toBe(false);
    }
  });

  test("shows the words of each answer as they arrive", () => {
    let view = opened;
    for (const turn of turns) {
      let session = spoken(begun(view), turn);
      const grown: string[] = [];
      for (const event of turn.events) {
        session = fold([event], session);
        if (session.live) grown.push(session.live.text);
      }
      expect(turn.view.messages.at(-1)?.content).toBe(grown.at(-1));
      view = turn.view;
    }
  });
});

describe("what no recorded talk has", () => {
  const view = logs[0]!.turns[0]!.view;
  const event = (one: object) => ({ id: "999", ...one }) as StreamEvent;
  const answer = (id: string) => {
    const structured = { dialogue: "No.", action: "", mood: "" };
    return event({ type: "message_complete", message_id: id, content: "No.", structured, director: view.director });
  };
  const texts = ({ view: { messages } }: Session) => messages.map(({ content }) => content);

  test("a swipe takes the place of the answer and of what followed it", () => {
    const swiped = view.messages[0]!.id;
    const session = fold([answer("new")], asked(begun(view), swiped));
    expect(texts(session)).toEqual(["No."]);
  });

  test("an answer that failed keeps the player's words and can be asked for again", () => {
    const failed = event({ type: "error", code: "MODEL_UNAVAILABLE", message: "Gone.", message_id: "m9", retry: true });
    const session = fold([failed, event({ type: "done" })], said(begun(view), "Hello?", "mine"));
    expect(texts(session).at(-1)).toBe("Hello?");
    expect([session.view.retry, session.failed?.message, session.view.busy]).toEqual([true, "Gone.", false]);
    expect(fold([answer("new")], asked(session, null)).failed).toBeNull();
  });

  test("a recording is heard once, in its order, even if it is told twice", () => {
    const id = view.messages.at(-1)!.id;
    const audio = (number: number) => event({ type: "audio", message_id: id, number, file: `${number}.wav` });
    const session = fold([audio(2), audio(1), audio(2)], begun(view));
    expect(session.view.messages.at(-1)?.recordings?.map(({ file }) => file)).toEqual(["1.wav", "2.wav"]);
  });

  test("what the server does not have yet survives its newer view, and is not told twice once it has", () => {
    const unsent = { text: "Hello?", id: "mine" };
    const session = said(begun(view), unsent.text, unsent.id);
    const before = refreshed(session, { ...view, busy: false }, unsent);
    expect([texts(before).at(-1), before.view.busy]).toEqual(["Hello?", true]);
    const confirmed = { ...session.view, messages: session.view.messages.map((one) => (one.id === "mine" ? { ...one, id: "m9" } : one)) };
    expect(texts(refreshed(before, confirmed, unsent))).toEqual(texts(session));
    expect(texts(refreshed(session, { ...view, busy: false }, null))).not.toContain("Hello?");
  });

  test("an answer that is still arriving survives the server's newer view", () => {
    const chunk = (id: string, content: string) => event({ id, type: "chunk", message_id: "m9", content });
    const session = fold([chunk("990.3", "Oh, ")], said(begun(view), "Hello?", "mine"));
    const again = refreshed(session, { ...view, busy: true, mark: "989" });
    expect(fold([chunk("990.6", "you.")], again).live?.text).toBe("Oh, you.");
    expect(refreshed(again, { ...view, busy: false }).live).toBeNull();
  });
});
