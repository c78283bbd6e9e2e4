import { expect, type Page } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";

/** A scene that waits for a person until it is stopped. */
async function waiting(page: Page): Promise<string> {
  const response = await page.request.post("/v1/scenes", { data: { scene: "the-apology", person: "bob", wait: true } });
  return ((await response.json()) as { run: string }).run;
}

async function stopped(page: Page): Promise<string> {
  const run = await waiting(page);
  await page.request.post(`/v1/runs/${run}/cancel`);
  return run;
}

const row = (page: Page, run: string) => page.getByRole("listitem").filter({ has: page.locator(`a[href="/scenes/${run}"]`) });
const isThere = async (page: Page, run: string) => (await page.request.get(`/v1/runs/${run}`)).ok();

test("a run is stopped, resumed and deleted from the list by the keyboard, and a deletion is taken back", MAIN, async ({ page }) => {
  await page.clock.install();
  const run = await waiting(page);
  await page.goto("/runs");
  await expect(row(page, run)).toContainText("playing");
  await row(page, run).getByRole("button", { name: "Stop the-apology" }).focus();
  await page.keyboard.press("Enter");
  await expect(row(page, run)).toContainText("stopped");
  await expect(row(page, run).getByRole("button", { name: "Resume" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(row(page, run)).toContainText("playing");
  await row(page, run).getByRole("button", { name: "Stop" }).click();
  await row(page, run).getByRole("button", { name: "Delete" }).click();
  await expect(row(page, run).getByRole("button", { name: "Undo" })).toBeFocused();
  await expect(row(page, run).getByRole("status")).toContainText("Deleted in a few seconds");
  await page.keyboard.press("Enter");
  await expect(row(page, run).getByRole("button", { name: "Delete" })).toBeFocused();
  await page.clock.fastForward(60_000);
  expect(await isThere(page, run)).toBe(true);
  await page.keyboard.press("Enter");
  await isAccessibleInBothThemes(page);
  await page.clock.fastForward(10_000);
  await expect(row(page, run)).toHaveCount(0);
  expect(await isThere(page, run)).toBe(false);
});

test("several runs are chosen and deleted together, and one of them is kept", async ({ page }) => {
  await page.clock.install();
  const [one, two, three] = [await stopped(page), await stopped(page), await stopped(page)];
  await page.goto("/runs");
  for (const run of [one, two, three]) await row(page, run).getByRole("checkbox").check();
  await expect(page.getByRole("group", { name: "3 selected" })).toBeVisible();
  await picture(page, "runs");
  await page.getByRole("button", { name: "Delete 3" }).click();
  await row(page, two).getByRole("button", { name: "Undo" }).click();
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
  await page.clock.fastForward(10_000);
  for (const run of [one, three]) await expect(row(page, run)).toHaveCount(0);
  await expect(row(page, two)).toBeVisible();
  expect([await isThere(page, one), await isThere(page, two), await isThere(page, three)]).toEqual([false, true, false]);
});

test("a deletion goes on while another page of the studio is shown, but a studio that is loaded anew has deleted nothing", async ({ page }) => {
  await page.clock.install();
  const [gone, kept] = [await stopped(page), await stopped(page)];
  await page.goto("/runs");
  await row(page, kept).getByRole("button", { name: "Delete" }).click();
  await page.reload();
  await row(page, gone).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("navigation").first().getByRole("link", { name: "Costs" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Costs" })).toBeVisible();
  await page.clock.fastForward(10_000);
  await expect.poll(() => isThere(page, gone)).toBe(false);
  expect(await isThere(page, kept)).toBe(true);
});

test("what the server refuses is said beside the run, which stays", async ({ page }) => {
  await page.clock.install();
  const run = await stopped(page);
  await page.goto("/runs");
  await expect(row(page, run)).toContainText("stopped");
  await row(page, run).getByRole("button", { name: "Delete" }).click();
  await page.request.post(`/v1/runs/${run}/resume`);
  await page.clock.fastForward(10_000);
  await expect(row(page, run).getByRole("alert")).toContainText("is being played");
  await expect(row(page, run).getByRole("button", { name: "Stop" })).toBeVisible();
  await isAccessibleInBothThemes(page);
});
