/** What a long scene costs a browser. Nothing is asserted about time: `python -m benchmarks studio` prints what was measured. */
import { appendFileSync, readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { fold, type SceneEntry } from "../src/folds/scene";
import { longScene } from "./long";
import { openToldStage, wire, type Told } from "./told";

const LINES = 1_000;
const ROUNDS = 20;
const recorded = JSON.parse(readFileSync(new URL("../src/folds/recorded/played.json", import.meta.url), "utf-8")) as { entries: SceneEntry[] };
const log = longScene(recorded.entries, LINES);

/** One figure, for the table. */
function measured(name: string, unit: string, samples: readonly number[], wanted: number | null = null) {
  appendFileSync(process.env.BENCH_FIGURES ?? "node_modules/.figures.jsonl", `${JSON.stringify({ name, unit, samples, wanted })}\n`);
}

const spoken = (number: number): SceneEntry => {
  const one = log.find(({ event }) => event.type === "line.spoken") as SceneEntry & { event: { type: "line.spoken" } };
  return { seq: log.length + number - LINES, at: 0, event: { ...one.event, line: { ...one.event.line, number, content: `Line ${number}.` } } };
};

interface Traced {
  name: string;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
  pid: number;
  tid: number;
}

/** The milliseconds of CPU of each task on the page's main thread meanwhile: other work on the machine does not count. */
async function tasks(page: Page, during: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error("There is no browser to trace.");
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await during();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Traced[] };
  const main = new Set(traceEvents.filter((one) => one.name === "thread_name" && one.args?.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`));
  return traceEvents.filter((one) => one.name.endsWith("RunTask") && main.has(`${one.pid} ${one.tid}`)).map((one) => (one.tdur ?? 0) / 1000);
}

const shown = (page: Page) => page.locator("article, .happening");

/** The milliseconds of CPU that this process spends on something. */
function cpu(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test("fold", () => {
  const rounds = Array.from({ length: ROUNDS });
  measured(`fold of a scene of 1,000 lines (${log.length.toLocaleString("en")} events), CPU`, "ms", rounds.map(() => cpu(() => fold(log))), 20);
  const before = fold(log);
  measured("fold of one more line, CPU", "ms", rounds.map((_, at) => cpu(() => fold([spoken(LINES + 1 + at)], before))));
});

test("stage", async ({ page }) => {
  await openToldStage(page);
  const opened: { shown: number; whole: number }[] = [];
  const opening = await tasks(page, async () => void opened.push(await page.evaluate(untilWhole, { text: wire(log), lines: LINES })));
  await expect(shown(page)).toHaveCount(LINES);
  measured("1,000 lines at once, from their events to the screen, wall", "ms", opened.map(({ shown }) => shown));
  measured("the same, until all lines are in the page, wall", "ms", opened.map(({ whole }) => whole));
  measured("longest task meanwhile, CPU", "ms", [Math.max(...opening)]);

  const frames: number[] = [];
  const scrolling = await tasks(page, async () => {
    frames.push(
      ...(await page.evaluate(async () => {
        const found: number[] = [];
        let last = await new Promise<number>(requestAnimationFrame);
        for (let at = 0; at < document.body.scrollHeight; at += 900) {
          window.scrollTo(0, at);
          const now = await new Promise<number>(requestAnimationFrame);
          found.push(now - last);
          last = now;
        }
        return found;
      })),
    );
  });
  measured("longest task while such a scene is scrolled through, CPU", "ms", [Math.max(...scrolling)], 50);
  measured(`a frame meanwhile (${frames.length} of them), wall`, "ms", frames);

  const lines: string[] = Array.from({ length: ROUNDS }, (_, at) => wire([spoken(LINES + 1 + at)]));
  const arrivals: number[] = [];
  const busy: number[] = [];
  for (const text of lines) {
    const spent = await tasks(page, async () => {
      arrivals.push(await page.evaluate(framesUntilShown, text));
    });
    busy.push(Math.max(...spent));
  }
  measured("frames from an event to its line on screen, after 1,000 lines", "", arrivals, 1);
  measured("longest task on that way, CPU", "ms", busy, 16);
});

/** In the page: tells it the events of a scene; the milliseconds until its first lines are drawn, and until it has all of them. */
async function untilWhole({ text, lines }: { text: string; lines: number }): Promise<{ shown: number; whole: number }> {
  const count = () => document.querySelectorAll("article, .happening").length;
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const before = performance.now();
  (window as unknown as Told).tell(text);
  await new Promise((done) => setTimeout(done));
  while (!count()) await new Promise(requestAnimationFrame);
  await drawn();
  const shown = performance.now() - before;
  while (count() < lines) await new Promise(requestAnimationFrame);
  await drawn();
  return { shown, whole: performance.now() - before };
}

/** In the page: tells it an event, and counts frames until its line is there. */
async function framesUntilShown(text: string): Promise<number> {
  const count = () => document.querySelectorAll("article, .happening").length;
  const before = count();
  (window as unknown as Told).tell(text);
  let frames = 0;
  do {
    await new Promise(requestAnimationFrame);
    frames++;
  } while (count() === before);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return frames;
}
