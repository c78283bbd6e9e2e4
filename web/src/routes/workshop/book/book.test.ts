import { afterEach, expect, test, vi } from "vitest";
import { byChapter, countWords, nextScene } from "./contents";
import { Drafts } from "../../../parts/drafts";
import { storage } from "../../../parts/storage.double";
import { bothOf } from "./merge";
import { OpenText } from "./text.svelte";

const ADDRESS = "/v1/projects/main/manuscript/scenes/ch01-sc01";

/** A server with one file. */
function server(text: string) {
  const file = { text, digest: "1" };
  const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
  const view = () => ({ name: "ch01-sc01", path: "manuscript/ch01-sc01.md", title: "", words: 0, ...file });
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => {
    if (init.method !== "PUT") return json(view());
    const sent = JSON.parse(String(init.body)) as { text: string; digest: string };
    if (sent.digest !== file.digest) return json({ error: { code: "FILE_CHANGED", message: "changed", context: { ...file } } }, 409);
    Object.assign(file, { text: sent.text, digest: `${Number(file.digest) + 1}` });
    return json({ ...view(), act: "a1", said: "Changed." });
  });
  return file;
}

const opened = (place: Storage, window: string) => new OpenText("/v1/projects/main", "scene", "ch01-sc01", place, window).open();

afterEach(() => vi.unstubAllGlobals());

test("changes in different places are both made, and of a clash nothing is left out", () => {
  expect(bothOf("a\nb\nc", "A\nb\nc", "a\nb\nC")).toEqual({ text: "A\nb\nC", clashes: 0 });
  expect(bothOf("a\nb\nc", "a\nmine\nc", "a\ntheirs\nc")).toEqual({ text: "a\nmine\ntheirs\nc", clashes: 1 });
  expect(bothOf("", "mine", "theirs").text).toBe("mine\ntheirs");
  expect(bothOf("a", "b", "b")).toEqual({ text: "b", clashes: 0 });
});

test("what was typed in a window that is gone is on the page again", async () => {
  const place = storage();
  server("One.");
  const first = await opened(place, "w1");
  first.text = "One. Two.";
  first.close();
  const second = await opened(place, "w2");
  expect([second.text, second.standing]).toEqual(["One. Two.", "unsaved"]);
  await second.save();
  expect(second.standing).toBe("saved");
  expect(new Drafts(place, "w3").of(ADDRESS)).toEqual([]);
  second.close();
});

test("the draft of a window that is open is its own", async () => {
  const place = storage();
  server("One.");
  const first = await opened(place, "w1");
  first.text = "One. Two.";
  first.keep();
  const second = await opened(place, "w2");
  expect([second.text, second.others, first.others]).toEqual(["One.", 1, 1]);
  first.close();
  second.close();
});

test("words that are typed while a save is under way stay unsaved, over the text that was saved", async () => {
  server("One.");
  const page = await opened(storage(), "w1");
  page.text = "One. Two.";
  const saving = page.save();
  page.text = "One. Two. Three.";
  await saving;
  expect([page.standing, page.saved?.text, page.saved?.digest]).toEqual(["unsaved", "One. Two.", "2"]);
  await page.save();
  expect(page.standing).toBe("saved");
  page.close();
});

test("a file that changed meanwhile is shown beside what was typed, and each way on keeps what it says", async () => {
  const file = server("a\nb\nc");
  const page = await opened(storage(), "w1");
  page.text = "A\nb\nc";
  Object.assign(file, { text: "a\nb\nC", digest: "7" });
  await page.save();
  expect([page.standing, page.theirs?.text]).toEqual(["conflict", "a\nb\nC"]);
  expect(page.keepBoth()).toBe(0);
  await page.save();
  expect(file.text).toBe("A\nb\nC");
  page.close();
});

test("a draft over an older text than the file's opens as a conflict", async () => {
  const place = storage();
  const file = server("One.");
  const first = await opened(place, "w1");
  first.text = "One. Mine.";
  first.close();
  Object.assign(file, { text: "One. Theirs.", digest: "5" });
  const second = await opened(place, "w2");
  expect([second.standing, second.text, second.theirs?.text]).toEqual(["conflict", "One. Mine.", "One. Theirs."]);
  second.close();
});

test("a browser without room says so, and a draft that cannot be read stays away", async () => {
  server("One.");
  const page = await opened(storage(false), "w1");
  page.text = "x".repeat(10);
  page.keep();
  expect(page.homeless).toBe(true);
  page.close();
  const place = storage();
  place.setItem(`dramaturg.book|${encodeURIComponent(ADDRESS)}|w9`, "{");
  expect(new Drafts(place, "w1").of(ADDRESS)).toEqual([]);
});

test("scenes stand under their chapters, and the next one has the next number", () => {
  const scenes = ["ch01-sc01", "ch01-sc02", "ch02-sc09"].map((name) => ({ name, chapter: name.slice(2, 4) }));
  expect(byChapter(scenes).map(({ chapter, scenes: inside }) => [chapter, inside.length])).toEqual([["01", 2], ["02", 1]]);
  expect(nextScene(scenes.map(({ name }) => name))).toBe("ch02-sc10");
  expect(nextScene([])).toBe("ch01-sc01");
});

test("words are counted as the server counts them", () => {
  expect(countWords("---\nstatus: draft\n---\nOne – two, 3.\n")).toBe(3);
  expect(countWords("")).toBe(0);
});
