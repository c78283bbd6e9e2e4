import { expect, test } from "vitest";
import { storage } from "./storage.double";
import { KeptText } from "./kept";

const file = { text: "title: Tea\n", digest: "d1" };

test("what was typed comes back after a reload, with the file that it was typed over", async () => {
  const place = storage();
  const before = new KeptText("episode", "tea", place, "w1");
  before.keep("title: Coffee\n", file);
  before.close();
  const after = new KeptText("episode", "tea", place, "w2");
  expect(await after.take({ text: "title: Milk\n", digest: "d2" })).toMatchObject({ text: "title: Coffee\n", base: file.text, digest: "d1" });
  expect(await new KeptText("episode", "cocoa", place, "w3").take(file)).toBeNull();
});

test("a window that is still open keeps its own text", async () => {
  const place = storage();
  const open = new KeptText("episode", "tea", place, "w1");
  open.keep("title: Coffee\n", file);
  expect(await new KeptText("episode", "tea", place, "w2").take(file)).toBeNull();
  open.close();
  expect(await new KeptText("episode", "tea", place, "w3").take(file)).toMatchObject({ text: "title: Coffee\n" });
});

test("of two windows that are gone the newer text comes back first, and the older is not lost", async () => {
  const place = storage();
  for (const [window, text] of [["w1", "title: Milk\n"], ["w2", "title: Coffee\n"]] as const) {
    const gone = new KeptText("episode", "cocoa", place, window);
    gone.keep(text, file, window === "w1" ? 1 : 2);
    gone.close();
  }
  const third = new KeptText("episode", "cocoa", place, "w3");
  expect(await third.take(file)).toMatchObject({ text: "title: Coffee\n" });
  third.drop();
  third.close();
  expect(await new KeptText("episode", "cocoa", place, "w4").take(file)).toMatchObject({ text: "title: Milk\n" });
});

test("nothing is kept of what was saved or taken back", async () => {
  const place = storage();
  const kept = new KeptText("episode", "tea", place, "w1");
  kept.keep("title: Coffee\n", file);
  kept.keep(file.text, file);
  kept.close();
  expect(await new KeptText("episode", "tea", place, "w2").take(file)).toBeNull();
});
