import { createServer } from "node:http";
import { expect, type Page } from "@playwright/test";
import { MAIN, test } from "./aids";
import { begin, fits, HOST_TOKEN, HOUSE, isAccessible, PHONE, picture, PORT, speak } from "./house";

test.use({ viewport: PHONE });

const LINES = ["Good evening.", "I like the lamp.", "You are funny.", "Tell me about the record.", "Really?", "One song, then."];

async function toTheEnd(page: Page) {
  await begin(page, "the-flirt-test");
  for (const line of LINES) await speak(page, line);
  await page.getByRole("button", { name: "Ask her to play the record she never sells" }).click();
  await expect(page.getByRole("button", { name: "Share the result" })).toBeVisible();
}

test("a guest finds an episode, plays it to its end on a phone and has a result", MAIN, async ({ page }) => {
  await page.goto(`${HOUSE}/play`);
  await expect(page.getByRole("link", { name: /The flirt test/ })).toBeVisible();
  await expect(page.getByText("The accusation")).toHaveCount(0);
  await picture(page, "play-lobby");
  await page.getByRole("link", { name: /The flirt test/ }).click();
  await expect(page.getByRole("button", { name: "Begin" })).toBeVisible();
  await picture(page, "play-start");
  await toTheEnd(page);
  await expect(page.getByText("Play me the one you never sell")).toBeVisible();
  await expect(page.getByRole("region", { name: "Your result" })).toContainText("sure");
  await picture(page, "play-result");
  await page.getByRole("button", { name: "Play it" }).click();
  await expect(page.getByRole("heading", { name: "Closing time" })).toBeVisible();
  await page.goto(`${HOUSE}/play`);
  await expect(page.getByRole("list").first()).toContainText("finished");
});

test("a reload in the middle of a conversation loses no word, not even one that is only typed", async ({ page }) => {
  await begin(page, "the-flirt-test");
  await speak(page, "Good evening.");
  const before = await page.locator("article .words").allInnerTexts();
  await page.getByLabel("Say something").fill("I was about to say");
  await page.reload();
  await expect(page.locator("article")).toHaveCount(3);
  expect(await page.locator("article .words").allInnerTexts()).toEqual(before);
  await expect(page.getByLabel("Say something")).toHaveValue("I was about to say");
});

test("the network is lost while the player speaks, and the answer still comes, once", MAIN, async ({ page, context }) => {
  await begin(page, "the-flirt-test");
  await speak(page, "Good evening.");
  await context.setOffline(true);
  await page.getByLabel("Say something").fill("Are you there?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("Not sent yet")).toBeVisible();
  await picture(page, "play-offline");
  await context.setOffline(false);
  await expect(page.locator("article:not(.mine)")).toHaveCount(3);
  await expect(page.getByText("Are you there?")).toHaveCount(1);
  await expect(page.getByText("Not sent yet")).toHaveCount(0);
});

test("the server has no store for a moment while the player speaks, and the words are kept and sent again", async ({ page }) => {
  await begin(page, "the-flirt-test");
  const error = { code: "STORE_UNAVAILABLE", message: "The store cannot be reached.", context: {} };
  await page.route("**/messages", (route) => route.fulfill({ status: 503, json: { success: false, error } }), { times: 1 });
  await page.getByLabel("Say something").fill("Are you there?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("Not sent yet")).toBeVisible();
  await expect(page.locator("article:not(.mine)")).toHaveCount(2);
  await expect(page.getByText("Are you there?")).toHaveCount(1);
});

test("what the server refuses to hear goes back to where it was typed, with the reason beside it, and is sent once", async ({ page }) => {
  await begin(page, "the-flirt-test");
  for (const line of LINES.slice(0, 4)) await speak(page, line);
  const box = page.getByLabel("Say something");
  const error = { code: "TOO_MANY_REQUESTS", message: "Too many requests. Try again in 12 seconds.", context: { retry_after: 12 } };
  await page.route("**/messages", (route) => route.fulfill({ status: 429, json: { success: false, error } }), { times: 1 });
  await box.fill("A paragraph that took me a while.");
  await page.getByRole("button", { name: "Send" }).dblclick();
  await expect(page.getByRole("alert")).toHaveText(/Try again in 12 seconds/);
  await expect(page.getByRole("alert")).toBeInViewport({ ratio: 1 });
  await expect(box).toHaveValue("A paragraph that took me a while.");
  await expect(page.locator("article.mine")).toHaveCount(4);
  await isAccessible(page);
  await page.reload();
  await expect(box).toHaveValue("A paragraph that took me a while.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.locator("article.mine")).toHaveCount(5);
  await expect(page.locator("article:not(.mine):not(.arriving)")).toHaveCount(6);
});

test("the last line stands above the choices, and is not behind them", async ({ page }) => {
  await begin(page, "the-flirt-test");
  for (const line of LINES) await speak(page, line);
  const choices = page.getByRole("group");
  await expect(choices).toBeVisible();
  const lastLineEnds = async () => page.locator("article").last().evaluate((line) => line.getBoundingClientRect().bottom);
  await expect.poll(async () => (await lastLineEnds()) - ((await choices.boundingBox())?.y ?? 0)).toBeLessThanOrEqual(0);
});

test.describe("in German", () => {
  test.use({ locale: "de-DE" });

  test("a player is told in German what the server refuses, and the page says that it is German", async ({ page }) => {
    await page.goto(`${HOUSE}/play/start/the-wrong-word`);
    await expect(page.getByRole("alert")).toContainText("Das gibt es hier nicht, oder es ist nicht für dich geöffnet.");
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    await isAccessible(page);
    await page.goto(`${HOUSE}/play/start/the-flirt-test`);
    await page.getByRole("button", { name: "Beginnen" }).click();
    await expect(page.locator("article")).toHaveCount(1);
    await page.getByLabel("Sag etwas").fill("Hm. ".repeat(3_000));
    await page.getByRole("button", { name: "Senden" }).click();
    await expect(page.getByRole("alert")).toContainText("Die Nachricht hat 11.999 Zeichen; höchstens 8.000 sind möglich.");
    await expect(page.getByLabel("Sag etwas")).not.toHaveValue("");
  });
});

test("another answer is a swipe, the first can be had back, and both are branches of a tree", async ({ page }) => {
  await begin(page, "the-flirt-test");
  await speak(page, "Good evening.");
  const last = page.locator("article").last();
  const first = await last.locator(".words").innerText();
  await page.getByRole("button", { name: "Another answer" }).click();
  await expect(last.getByText("2 / 2")).toBeVisible();
  await page.getByRole("button", { name: "The earlier answer" }).click();
  await expect(last.getByText("1 / 2")).toBeVisible();
  expect(await last.locator(".words").innerText()).toBe(first);
  await page.getByRole("button", { name: "Branches" }).click();
  const branches = page.getByRole("dialog").getByRole("listitem");
  await expect(branches).toHaveCount(3);
  await picture(page, "play-branches");
  await branches.last().getByRole("button").click();
  await expect(last.getByText("2 / 2")).toBeVisible();
});

test("a result is shared after a preview, opened by somebody else, and revoked", async ({ page, browser }) => {
  await toTheEnd(page);
  await page.getByRole("button", { name: "Share the result" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByText("This is what others will see")).toBeVisible();
  await expect(sheet.getByText("Played by Anna")).toHaveCount(0);
  await sheet.getByLabel("your name").check();
  await expect(sheet.getByText("Played by Anna")).toBeVisible();
  await sheet.getByRole("button", { name: "Make a link" }).click();
  const link = sheet.getByRole("link");
  await expect(link).toBeVisible();
  await picture(page, "play-share");
  const address = (await link.getAttribute("href")) ?? "";
  const stranger = await (await browser.newContext({ viewport: PHONE })).newPage();
  await stranger.goto(`${HOUSE}${address}`);
  await expect(stranger.getByText("Played by Anna")).toBeVisible();
  await isAccessible(stranger);
  await fits(stranger);
  await picture(stranger, "play-shared", true);
  await sheet.getByRole("button", { name: "Revoke" }).click();
  await expect(link).toHaveCount(0);
  expect((await stranger.goto(`${HOUSE}${address}`))?.status()).toBe(404);
  await stranger.context().close();
});

test("a player's token opens nothing of the studio", MAIN, async ({ page }) => {
  await begin(page, "the-flirt-test");
  const token = await page.evaluate(() => localStorage.getItem("dramaturg.player"));
  expect(token).toMatch(/^p2\./);
  for (const path of ["/v1/runs", "/v1/scenes", "/v1/tokens", "/v1/concerns"]) {
    const answers = await Promise.all([
      page.request.get(`${HOUSE}${path}`, { headers: { "X-Player-Token": token ?? "" } }),
      page.request.get(`${HOUSE}${path}`, { headers: { Authorization: `Bearer ${token}` } }),
    ]);
    expect(answers.map((answer) => answer.status())).toEqual([401, 401]);
  }
  const models = await page.request.get(`${HOUSE}/v1/models`, { headers: { Authorization: `Bearer ${token}` } });
  const { choice, providers, data } = (await models.json()) as { choice: string; providers: []; data: { id: string }[] };
  expect([choice, providers]).toEqual(["", []]);
  expect(data.every((one) => one.id.startsWith("episode/"))).toBe(true);
});

test("an invitation is a link, and its token stays out of the address", async ({ page, request }) => {
  const headers = { Authorization: `Bearer ${HOST_TOKEN}` };
  const { player_token } = (await (await request.post(`${HOUSE}/v1/tokens`, { headers })).json()) as { player_token: string };
  await page.goto(`${HOUSE}/play#invite=${player_token}`);
  await expect(page).toHaveURL(`${HOUSE}/play`);
  expect(await page.evaluate(() => localStorage.getItem("dramaturg.player"))).toBe(player_token);
});

test("a session of somebody else is not found, with a way out", async ({ page }) => {
  await page.goto(`${HOUSE}/play/1mkq8zt4c0v7hxw3rn`);
  await expect(page.getByRole("alert")).toContainText("There is no session");
  await page.getByRole("alert").getByRole("button", { name: "All episodes" }).click();
  await expect(page).toHaveURL(`${HOUSE}/play`);
});

test("an episode is played on another site that the host names, with one script tag, and on no other", async ({ page }) => {
  const tag = `<!doctype html><title>blog</title><h1>My blog</h1><script src="${HOUSE}/embed.js" data-episode="the-flirt-test"></script>`;
  const site = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(tag)).listen(PORT + 2);
  await page.goto(`http://localhost:${PORT + 2}/`);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Begin" }).click();
  await expect(frame.locator("article")).toHaveCount(1);
  await frame.getByLabel("Say something").fill("Good evening.");
  await frame.getByRole("button", { name: "Send" }).click();
  await expect(frame.locator("article:not(.arriving)")).toHaveCount(3);
  await picture(page, "play-embedded");
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await page.goto(`http://127.0.0.1:${PORT + 2}/`);
  await refused;
  await expect(frame.getByRole("button", { name: "Begin" })).toHaveCount(0);
  site.close();
});

test("somebody who writes of harm is told where to find help, outside the story", async ({ page }) => {
  await begin(page, "the-flirt-test");
  await speak(page, "I want to kill myself.");
  await expect(page.getByRole("note")).toContainText("not part of the story");
  await isAccessible(page);
  await picture(page, "play-care");
});

for (const scheme of ["light", "dark"] as const) {
  test(`the players' pages have no serious fault for people who use aids and fit a phone, in ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    for (const path of ["/play", "/play/start/the-flirt-test"]) {
      await page.goto(`${HOUSE}${path}`);
      await expect(page.getByText("Loading…")).toHaveCount(0);
      await isAccessible(page);
      await fits(page);
    }
    await toTheEnd(page);
    await isAccessible(page);
    await fits(page);
    await picture(page, `play-end-${scheme}`, true);
    await page.getByRole("button", { name: "Share the result" }).click();
    await expect(page.getByRole("dialog").getByText("This is what others will see")).toBeVisible();
    await isAccessible(page);
  });
}

test("the page speaks the reader's language", async ({ browser }) => {
  const page = await (await browser.newContext({ locale: "de-DE", viewport: PHONE })).newPage();
  await page.goto(`${HOUSE}/play/start/the-flirt-test`);
  await expect(page.getByRole("button", { name: "Beginnen" })).toBeVisible();
  await page.context().close();
});

test("with voices on, an answer is heard as it comes, and again at a click", async ({ page }) => {
  await begin(page, "the-flirt-test");
  await page.getByRole("button", { name: "Voice" }).click();
  await expect(page.getByRole("button", { name: "Voice" })).toHaveAttribute("aria-pressed", "true");
  const sound = page.waitForResponse(/\/v1\/sessions\/\w+\/audio\//);
  await speak(page, "Good evening.");
  expect((await sound).status()).toBe(200);
  const again = page.locator("article").last().getByRole("button", { name: "Listen" });
  await again.click();
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await expect(again).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});
