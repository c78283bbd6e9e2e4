import { expect, type Page } from "@playwright/test";
import { test } from "./aids";
import { longScene } from "../bench/long";
import { openToldStage, tell } from "../bench/told";
import type { SceneEntry } from "../src/folds/scene";

const LINES = 1_000;
const RUN = "0".repeat(18);
const rows = (page: Page) => page.getByRole("region", { name: "What is said" }).locator("[role=listitem]");

/** The log of a scene that was just played, made long; each line ends with its number. */
async function longLog(page: Page): Promise<SceneEntry[]> {
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
  const stream = await (await page.request.get(page.url().replace("/scenes/", "/v1/runs/") + "/events?audience=author")).text();
  const entries = [...stream.matchAll(/^data: (.*)$/gm)].map((found, at) => ({ ...(JSON.parse(found[1] ?? "") as SceneEntry), seq: at + 1 }));
  return longScene(entries, LINES).map((entry) => numbered(entry));
}

function numbered(entry: SceneEntry): SceneEntry {
  const { event } = entry;
  if (event.type !== "line.spoken") return entry;
  return { ...entry, event: { ...event, line: { ...event.line, content: `${event.line.content} Line ${event.line.number}.` } } };
}

/** One more line of the scene. */
function oneMore(log: readonly SceneEntry[], number: number): SceneEntry {
  const last = log.findLast(({ event }) => event.type === "line.spoken") as SceneEntry & { event: { type: "line.spoken" } };
  return { seq: log.length + number, at: 0, event: { ...last.event, line: { ...last.event.line, number: LINES + number, content: `One more: ${number}.` } } };
}

const playing = (page: Page) => page.route(new RegExp(`/v1/runs/${RUN}$`), (route) => route.fulfill({ json: { run: RUN, kind: "scene", name: "long", status: "playing" } }));

test("all lines of a long scene are in the page, in their order, for readers and for paper too", async ({ page }) => {
  const log = await longLog(page);
  await openToldStage(page);
  await tell(page, log);
  await expect(page.getByText("Line 1.", { exact: false }).first()).toBeVisible();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  expect(await rows(page).count()).toBe(LINES);
  const numbers = (await rows(page).allTextContents()).map((text) => /Line (\d+)\./.exec(text)?.[1]);
  expect(numbers).toEqual(Array.from({ length: LINES }, (_, at) => String(at + 1)));
  const client = await page.context().newCDPSession(page);
  const { nodes } = (await client.send("Accessibility.getFullAXTree")) as { nodes: { role?: { value: string }; name?: { value: string } }[] };
  const read = nodes.filter(({ role }) => role?.value === "StaticText").map(({ name }) => /Line (\d+)\./.exec(name?.value ?? "")?.[1]).filter(Boolean);
  expect(read).toEqual(numbers);
});

test("a reader of a long scene keeps the place where they are while it grows, and finds a line by its words", async ({ page }) => {
  const log = await longLog(page);
  await playing(page);
  await openToldStage(page);
  await tell(page, log);
  await expect(rows(page)).toHaveCount(LINES);
  const wanted = page.getByText("Line 500.", { exact: false });
  expect(await page.evaluate(() => (window as unknown as { find: (text: string) => boolean }).find("Line 500."))).toBe(true);
  await expect(wanted).toBeInViewport();
  const place = async () => Math.round((await wanted.boundingBox())?.y ?? -1);
  const before = await place();
  await tell(page, [oneMore(log, 1), oneMore(log, 2)]);
  await expect(page.getByText("One more: 2.")).toBeAttached();
  expect(await place()).toBe(before);
});

test("who watches the end of a long scene follows it, line by line and piece by piece", async ({ page }) => {
  const log = await longLog(page);
  await playing(page);
  await openToldStage(page);
  await tell(page, log);
  await expect(rows(page)).toHaveCount(LINES);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  for (let number = 1; number <= 50; number += 1) {
    await tell(page, [oneMore(log, number)]);
    await expect(page.getByText(`One more: ${number}.`, { exact: true })).toBeInViewport();
  }
});

test("a long scene is scrubbed to its beginning and back, and every line has its panel", async ({ page }) => {
  const log = await longLog(page);
  await openToldStage(page);
  await tell(page, log);
  await expect(rows(page)).toHaveCount(LINES);
  const slider = page.getByRole("slider", { name: "Beat that is shown" });
  await slider.fill("2");
  await expect.poll(() => rows(page).count()).toBeLessThan(20);
  await slider.fill((await slider.getAttribute("max")) ?? "");
  await expect(rows(page)).toHaveCount(LINES);
  const middle = rows(page).nth(499);
  await middle.scrollIntoViewIfNeeded();
  await middle.hover();
  await middle.getByRole("button", { name: /About this line/ }).click();
  await expect(page.getByRole("region", { name: "About this line" })).toContainText("Line 500.");
});
