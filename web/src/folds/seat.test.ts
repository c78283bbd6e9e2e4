import { expect, test } from "vitest";
import { foldSeat, NOT_SEATED, type SeatEntry } from "./seat";

const heard = (seq: number, speaker: string, text: string, stillSpeaking = false): SeatEntry => ({
  type: "seat.heard",
  seq,
  beat: 1,
  kind: "line",
  speaker,
  text,
  stillSpeaking,
});

test("a line is taken apart as the transcript prints it", () => {
  const { heard: lines } = foldSeat([heard(1, "Bob", 'Bob [TONE: defensive] "Look, I can explain—"')]);
  expect(lines).toEqual([{ seq: 1, kind: "line", speaker: "Bob", manner: "tone: defensive", words: "Look, I can explain—", open: false }]);
});

test("words without a form stay as they are", () => {
  expect(foldSeat([heard(1, "Bob", "Bob leaves.")]).heard[0]?.words).toBe("leaves.");
});

test("a line that comes in two parts is one line, also if they come apart", () => {
  const parts = [heard(1, "Bob", 'Bob [TONE: dry] "Look," (still speaking)', true), heard(2, "Bob", 'Bob goes on: "here it is."')];
  const whole = [{ seq: 1, kind: "line", speaker: "Bob", manner: "tone: dry", words: "Look, here it is.", open: false }];
  expect(foldSeat(parts).heard).toEqual(whole);
  expect(foldSeat(parts.slice(1), foldSeat(parts.slice(0, 1))).heard).toEqual(whole);
});

test("something that happens is told without its bracket", () => {
  const event: SeatEntry = { ...heard(1, "", "[EVENT: The lights go out.]"), kind: "event" } as SeatEntry;
  expect(foldSeat([event]).heard[0]?.words).toBe("The lights go out.");
});

test("it is a person's turn from the cue until an answer is taken, and not after the end", () => {
  const cue: SeatEntry = { type: "seat.cue", seq: 1, beat: 2, note: "" };
  const taken: SeatEntry = { type: "seat.answer_taken", seq: 2, answer: 1, beat: 2 };
  const ended: SeatEntry = { type: "seat.scene_ended", seq: 4, goalAchieved: true, reason: "goal_achieved" };
  expect(foldSeat([cue]).cue).toEqual(cue);
  expect(foldSeat([cue, taken]).cue).toBeNull();
  expect(foldSeat([cue, taken, { ...cue, seq: 3 }, ended])).toMatchObject({ cue: null, ended });
  expect(foldSeat([taken], foldSeat([cue], NOT_SEATED)).cue).toBeNull();
});
