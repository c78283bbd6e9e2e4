import { expect } from "@playwright/test";
import { isAccessibleInBothThemes, MAIN, picture as tour, test } from "./aids";
import { fits, HOST_TOKEN, HOUSE, isAccessible, PHONE, picture } from "./house";

test.beforeEach(async ({ context }) => {
  await context.route(/\/v1\/(host|concerns|episodes|series|characters|runs|models)/, (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${HOST_TOKEN}` } }),
  );
});

test("the host has an episode rehearsed, leaves, finds it again, and reads who reached what with which words", MAIN, async ({ page }) => {
  await page.goto(`${HOUSE}/episodes`);
  const form = page.getByRole("form", { name: "Rehearsals" });
  await form.getByLabel("Episode").selectOption("the-ferryman");
  await form.getByLabel("Turns at most").fill("3");
  await expect(form).toContainText("At most 18 answers, by the model that plays here.");
  await form.getByText("Choose who plays").click();
  await form.getByLabel("The character, by").selectOption("the rehearsal company");
  await form.getByLabel("The director, by").selectOption("the rehearsal company");
  await expect(form).toContainText("At most 18 answers, by the rehearsal company.");
  await isAccessible(page);
  await form.getByRole("button", { name: "Rehearse" }).click();
  await expect(page).toHaveURL(/\/episodes\/rehearsals\/\w{18}$/);
  const address = page.url();
  await page.goto(`${HOUSE}/episodes`);
  await page.locator(`a[href="${new URL(address).pathname}"]`).click();
  await expect(page.getByText("of 6 completed").first()).toBeVisible();
  await expect(page.getByRole("table").getByRole("row", { name: /^prying/ })).toBeVisible();
  await expect(page.getByRole("region", { name: "Clues that nobody found" }).getByRole("listitem").first()).toBeVisible();
  const eager = page.getByRole("group").filter({ has: page.getByText(/^eager, \d+ turns$/) });
  await eager.getByText(/^eager, \d+ turns$/).click();
  await expect(eager.getByText(/^clue /).first()).toBeVisible();
  await expect(eager.getByRole("list", { name: "What was said" }).getByRole("listitem").first()).toBeVisible();
  await tour(page, "rehearsal");
  await picture(page, "rehearsal", true);
  await isAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await isAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
});

test("a rehearsal is stopped and resumed from its page, and the players who have played do not play again", async ({ page, request }) => {
  const headers = { Authorization: `Bearer ${HOST_TOKEN}` };
  const begun = await request.post(`${HOUSE}/v1/host/rehearsals`, { headers, data: { episode: "the-flirt-test", turns: 40, times: 6 } });
  const { run } = (await begun.json()) as { run: string };
  await page.goto(`${HOUSE}/episodes/rehearsals/${run}`);
  await expect(page.getByRole("status")).toContainText("of 36 players have played");
  await expect(page.getByRole("row", { name: /^eager/ }).first()).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  const resume = page.getByRole("button", { name: "Resume" });
  await expect(resume).toBeVisible();
  const played = await page.getByRole("table").getByRole("row").count();
  await resume.click();
  await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBeGreaterThan(played);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(resume).toBeVisible();
  await expect.poll(async () => (await request.delete(`${HOUSE}/v1/runs/${run}`, { headers })).status()).toBe(204);
});

test("a rehearsal that is not there is an error on the page, in German too", async ({ browser }) => {
  const context = await browser.newContext({ locale: "de-DE", viewport: PHONE, extraHTTPHeaders: { Authorization: `Bearer ${HOST_TOKEN}` } });
  const page = await context.newPage();
  await page.goto(`${HOUSE}/episodes/rehearsals/1mkq8zt4c0v7hxw3rn`);
  await expect(page.getByRole("alert")).toBeVisible();
  await page.goto(`${HOUSE}/episodes`);
  await expect(page.getByRole("heading", { name: "Proben", exact: true })).toBeVisible();
  await fits(page);
  await context.close();
});

test("a new episode is begun on the page, written on, and what is typed survives a reload", MAIN, async ({ page }) => {
  await page.goto(`${HOUSE}/episodes`);
  await page.getByText("A new episode", { exact: true }).click();
  await page.getByLabel("Its title").fill("Tea: at midnight");
  await expect(page.getByLabel("The name of its file")).toHaveValue("tea-at-midnight");
  await page.getByLabel("Who the player talks with").selectOption({ index: 1 });
  await isAccessibleInBothThemes(page);
  await page.getByRole("button", { name: "Begin it" }).click();
  await expect(page).toHaveURL(/\/episodes\/tea-at-midnight$/);
  const text = page.getByLabel("episodes/tea-at-midnight.yaml");
  await expect(text).toHaveValue(/title: 'Tea: at midnight'/);
  await text.fill(`${await text.inputValue()}opening_line: The kettle sings.\n`);
  await page.reload();
  await expect(text).toHaveValue(/The kettle sings/);
  await expect(page.getByRole("status").filter({ hasText: "What you typed before is back" })).toBeVisible();
  await isAccessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await page.reload();
  await expect(text).toHaveValue(/The kettle sings/);
  await expect(page.getByText("What you typed before is back")).toHaveCount(0);
  await page.goto(`${HOUSE}/episodes`);
  await page.getByText("A new episode", { exact: true }).click();
  await page.getByLabel("Its title").fill("Tea at midnight");
  await page.getByLabel("Who the player talks with").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Begin it" }).click();
  await expect(page.getByRole("alert")).toContainText("already");
});

test("what was typed before a reload is not saved over a file that has changed meanwhile", async ({ page, request }) => {
  const headers = { Authorization: `Bearer ${HOST_TOKEN}` };
  await request.post(`${HOUSE}/v1/host/episodes`, { headers, data: { name: "the-other-tea", title: "The other tea", character: "maren" } });
  const path = `${HOUSE}/v1/host/episodes/the-other-tea`;
  await page.goto(`${HOUSE}/episodes/the-other-tea`);
  const text = page.getByLabel("episodes/the-other-tea.yaml");
  await expect(text).toHaveValue(/The other tea/);
  await text.fill(`${await text.inputValue()}description: Mine.\n`);
  const before = (await (await request.get(path, { headers })).json()) as { text: string; digest: string };
  await request.put(path, { headers, data: { text: `${before.text}description: Theirs.\n`, digest: before.digest } });
  await page.reload();
  await expect(text).toHaveValue(/Mine/);
  await expect(page.getByRole("alert")).toContainText("The file has changed since you typed this");
  await page.getByRole("button", { name: "Save" }).click();
  expect(((await (await request.get(path, { headers })).json()) as { text: string }).text).toContain("Theirs");
  await page.getByRole("button", { name: "Take the file's" }).click();
  await expect(text).toHaveValue(/Theirs/);
  await page.reload();
  await expect(text).toHaveValue(/Theirs/);
});
