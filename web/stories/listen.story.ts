import { expect, type Locator, type Page } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";

interface Heard {
  readonly durationMs: number;
  readonly passages: readonly { speaker: string; text: string; startMs: number; endMs: number }[];
}

/** A session of two seats, spoken. */
async function asked(page: Page, message = "What is courage?"): Promise<string> {
  const kiosk = `l${Math.random().toString(36).slice(2)}`;
  const chat = await page.request.post("/v1/chat", { data: { message, audio: true, kiosk, slots: [{ slotId: 1 }, { slotId: 2 }] } });
  expect(chat.ok()).toBe(true);
  return chat.headers().location?.split("/").at(-1) ?? "";
}

const sound = (page: Page) => page.locator("audio");
const isReady = (audio: Locator) => expect.poll(() => audio.evaluate((one: HTMLAudioElement) => one.readyState)).toBeGreaterThan(2);
const cues = (audio: Locator) =>
  audio.evaluate((one: HTMLAudioElement) => Array.from(one.textTracks[0]?.cues ?? [], ({ startTime, endTime }) => ({ startTime, endTime })));

test("a session is listened to on a page of its own: captions follow the voice, and a turn that is clicked is heard", MAIN, async ({ page }) => {
  const run = await asked(page);
  await page.goto(`/ensemble/${run}`);
  await page.getByRole("link", { name: "Listen with captions" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "What is courage?" })).toBeVisible();
  const audio = sound(page);
  await isReady(audio);
  const told = (await (await page.request.get(`/v1/runs/${run}/programme`)).json()) as Heard;
  const length = await audio.evaluate((one: HTMLAudioElement) => one.duration);
  expect(Math.abs(1000 * length - told.durationMs)).toBeLessThan(60);
  await expect.poll(async () => (await cues(audio)).length).toBeGreaterThanOrEqual(told.passages.length);
  expect((await cues(audio)).every(({ startTime, endTime }) => 0 <= startTime && startTime < endTime && endTime <= length)).toBe(true);

  const turns = page.getByRole("region", { name: "What is said" }).getByRole("button");
  await expect(turns).toHaveCount(told.passages.length);
  for (const at of [told.passages.length - 1, 1]) {
    const wanted = told.passages[at]!;
    await turns.nth(at).click();
    await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
    await expect(turns.nth(at)).toHaveAttribute("aria-current", "true");
    await expect(page.locator(".captions b")).toHaveText(wanted.speaker);
    await expect(page.locator(".captions span")).toContainText(wanted.text.split(/\s+/).slice(0, 2).join(" "));
    await page.getByRole("button", { name: "Pause" }).click();
    const where = await audio.evaluate((one: HTMLAudioElement) => 1000 * one.currentTime);
    expect(where).toBeGreaterThanOrEqual(wanted.startMs - 1);
    expect(where).toBeLessThan(told.durationMs);
  }
  await isAccessibleInBothThemes(page);
  await picture(page, "programme");
});

test("a programme is played by the keyboard alone, faster and slower, and its captions are put away", async ({ page }) => {
  const run = await asked(page, "And by hand?");
  await page.goto(`/listen/${run}`);
  const audio = sound(page);
  await isReady(audio);
  const now = () => audio.evaluate(({ currentTime, paused, playbackRate }: HTMLAudioElement) => ({ at: currentTime, paused, playbackRate }));
  const { passages } = (await (await page.request.get(`/v1/runs/${run}/programme`)).json()) as Heard;
  await page.getByRole("button", { name: "Play", exact: true }).focus();
  await page.keyboard.press("k");
  await expect.poll(async () => (await now()).at).toBeGreaterThan(0.2);
  await page.keyboard.press("k");
  await expect.poll(async () => (await now()).paused).toBe(true);
  await page.keyboard.press("n");
  await expect.poll(async () => passages.map(({ startMs }) => startMs / 1000)).toContain((await now()).at);
  const before = (await now()).at;
  await page.keyboard.press("ArrowRight");
  await expect.poll(async () => (await now()).at).toBeCloseTo(before + 5, 1);
  await page.getByRole("slider", { name: "Position" }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => (await now()).at).toBeCloseTo(before, 1);
  await page.keyboard.press(">");
  await page.keyboard.press(">");
  await expect.poll(async () => (await now()).playbackRate).toBe(1.5);
  await expect(page.getByLabel("Speed")).toHaveValue("1.5");
  await page.keyboard.press("<");
  await expect.poll(async () => (await now()).playbackRate).toBe(1.25);
  await page.getByLabel("Captions").focus();
  await page.keyboard.press("c");
  await expect(page.locator(".captions")).toHaveCount(0);
  await page.getByRole("slider", { name: "Position" }).fill("0.5");
  await expect.poll(async () => (await now()).at).toBeCloseTo(0.5, 1);
});

test("a programme to hand out is made, found again, and played with its own captions on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const run = await asked(page, "What is kept?");
  await page.goto(`/listen/${run}`);
  await page.getByText("Make a programme to hand out").click();
  await page.getByLabel("m4b").uncheck();
  await page.getByLabel("wav").check();
  await page.getByRole("button", { name: "Make it" }).click();
  await expect(page).toHaveURL(new RegExp(`/listen/${run}/what-is-kept-`));
  await expect(page.getByRole("link", { name: /\.vtt$/ }).first()).toBeVisible();
  await page.reload();
  const audio = sound(page);
  await isReady(audio);
  const { publication } = (await (await page.request.get(page.url().replace("/listen/", "/v1/runs/").replace(`${run}/`, `${run}/programmes/`))).json()) as { publication: { durationMs: number } };
  const length = await audio.evaluate((one: HTMLAudioElement) => one.duration);
  expect(Math.abs(1000 * length - publication.durationMs)).toBeLessThan(60);
  await expect.poll(async () => (await cues(audio)).length).toBeGreaterThan(4);
  expect((await cues(audio)).every(({ endTime }) => endTime <= length)).toBe(true);
  const first = page.getByRole("region", { name: "What is said" }).getByRole("button").first();
  await expect(first).toContainText("What is kept?"); // the question is spoken first
  await first.click();
  await expect(page.locator(".captions span")).toContainText("What is kept?");
  await page.getByRole("button", { name: "Pause" }).click();
  await fits(page);
  await isAccessibleInBothThemes(page);
  await page.getByRole("link", { name: "The recording" }).click();
  await expect(page.getByRole("region", { name: "What is said" }).getByRole("button").first()).not.toContainText("What is kept?");
});

test("where there is nothing to hear, the page says why, and what did not arrive is asked for again", async ({ page }) => {
  await page.goto(`/listen/${"0".repeat(18)}`);
  await expect(page.getByRole("alert")).toBeVisible();
  const run = await asked(page, "Is it lost?");
  await page.route("**/programme.wav", (route) => route.abort());
  await page.goto(`/listen/${run}`);
  await expect(page.getByRole("alert")).toContainText("The sound cannot be played");
  await page.unroute("**/programme.wav");
  await page.getByRole("button", { name: "Try again" }).click();
  await isReady(sound(page));
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("an act is listened to from its page: its scenes one after the other, with captions", async ({ page }) => {
  test.slow(); // every line of two scenes is spoken first
  const begun = await page.request.post("/v1/acts", { data: { act: "two-evenings" } });
  const { run } = (await begun.json()) as { run: string };
  await page.goto(`/acts/${run}`);
  await expect(page.getByText("→ the end")).toBeVisible();
  await page.getByRole("link", { name: "Listen", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/listen/${run}$`));
  await expect(page.getByRole("heading", { level: 1, name: "two-evenings" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible({ timeout: 200_000 });
  await isReady(sound(page));
  const told = (await (await page.request.get(`/v1/runs/${run}/programme`)).json()) as Heard;
  const turns = page.getByRole("region", { name: "What is said" }).getByRole("button");
  await expect(turns).toHaveCount(told.passages.length);
  const last = told.passages.at(-1)!;
  await turns.last().click();
  await expect(turns.last()).toHaveAttribute("aria-current", "true");
  await expect(page.locator(".captions b")).toHaveText(last.speaker);
  await expect(page.locator(".captions span")).toContainText(last.text.split(/\s+/).slice(0, 2).join(" "));
  await isAccessibleInBothThemes(page);
  await page.getByRole("link", { name: "Back to where it was played" }).click();
  await expect(page).toHaveURL(new RegExp(`/acts/${run}$`));
});
