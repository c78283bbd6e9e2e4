import { expect, type Page } from "@playwright/test";
import { GUARDED, isAccessibleInBothThemes, MAIN, picture, test, TOKEN } from "./aids";

test.use({ baseURL: GUARDED });

async function logIn(page: Page) {
  await page.getByLabel("The server's token").fill(TOKEN);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

test("the author logs in once, works, and logs out", MAIN, async ({ page, context }) => {
  await page.goto("/scenes");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.getByLabel("The server's token").fill("not-the-token");
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("alert")).toContainText("not this server's token");
  await isAccessibleInBothThemes(page);
  await picture(page, "login");
  await logIn(page);
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
  expect(await page.evaluate(() => document.cookie)).toBe("");
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByText("goal achieved")).toBeVisible();
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await other.reload();
  await expect(other.getByRole("dialog")).toBeVisible();
});

test("a login that ends in the middle is asked for above the page, and nothing is lost", async ({ page, context }) => {
  await page.goto("/scenes");
  await logIn(page);
  await expect(page.getByRole("button", { name: /^Play/ }).first()).toBeVisible();
  await context.clearCookies();
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await logIn(page);
  await expect(page.getByText("goal achieved")).toBeVisible();
});

test("a browser that refuses cookies is told so", async ({ page, context }) => {
  await page.route("**/v1/login", async (route) => {
    const response = await route.fetch();
    await context.clearCookies();
    await route.fulfill({ status: response.status(), body: await response.text() });
  });
  await page.goto("/runs");
  await page.getByLabel("The server's token").fill(TOKEN);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("alert")).toContainText("cookies");
});

test("the author who has logged in talks to somebody from the cast of a scene", async ({ page }) => {
  await page.goto("/scenes");
  await logIn(page);
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await page.getByRole("button", { name: "Talk to Bob" }).click();
  await expect(page.getByRole("heading", { name: "A talk with Bob" })).toBeVisible();
  await page.getByLabel("Say something").fill("Did you mean it?");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page.getByRole("alert")).toHaveCount(0);
});
