import { expect, type Page } from "@playwright/test";
import { isAccessible, MAIN, test } from "./aids";

async function play(page: Page) {
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page).toHaveURL(/\/scenes\/\w+$/);
}

test("a newcomer plays a scene from the first page and reads it to its end", MAIN, async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: /^Play “/ }).click();
  await expect(page).toHaveURL(/\/scenes\/\w+$/);
  await expect(page.getByText("goal achieved")).toBeVisible();
  await expect(page.locator("article").first()).toContainText("Alice");
  await expect(page.getByText("cut off by").first()).toBeVisible();
});

test("the director sees what was cut off, and everybody else does not", async ({ page }) => {
  await play(page);
  await expect(page.getByText("goal achieved")).toBeVisible();
  await expect(page.getByText("What was cut off")).toHaveCount(0);
  await page.getByLabel("The director's view").check();
  await expect(page.getByText("What was cut off").first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "Notes to the cast" })).toBeVisible();
});

test("a reload in the middle and two windows on one run show the same lines", async ({ page, context }) => {
  await play(page);
  await page.reload();
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(page.getByText("goal achieved")).toBeVisible();
  await expect(other.getByText("goal achieved")).toBeVisible();
  expect(await other.locator("article").allInnerTexts()).toEqual(await page.locator("article").allInnerTexts());
});

test("the network is lost in the middle of a scene, and nothing is missing afterwards", MAIN, async ({ page, context }) => {
  await play(page);
  await context.setOffline(true);
  await page.waitForTimeout(1);
  await context.setOffline(false);
  await expect(page.getByText("goal achieved")).toBeVisible();
  const there = (await (await page.request.get(page.url().replace("/scenes/", "/v1/runs/") + "/exports/json")).json()) as {
    lines: { kind: string }[];
  };
  expect(await page.locator("article").count()).toBe(there.lines.filter(({ kind }) => kind === "line").length);
});

for (const scheme of ["light", "dark"] as const) {
  test(`no page has a serious fault for people who use aids, in ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await play(page);
    await expect(page.getByText("goal achieved")).toBeVisible();
    await page.getByLabel("The director's view").check();
    await isAccessible(page);
    for (const address of ["/", "/scenes", "/runs"]) {
      await page.goto(address);
      await expect(page.getByText("Loading…")).toHaveCount(0);
      await isAccessible(page);
    }
  });
}

test("on a phone nothing is wider than the screen", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await play(page);
  await expect(page.getByText("goal achieved")).toBeVisible();
  for (const address of [page.url(), "/", "/scenes", "/runs"]) {
    await page.goto(address);
    await expect(page.getByText("Loading…")).toHaveCount(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
});

test("a run that does not exist is an error on the page, with its reason", async ({ page }) => {
  await page.goto("/scenes/1mkq8zt4c0v7hxw3rn");
  await expect(page.getByRole("alert")).toContainText(/run/i);
});
