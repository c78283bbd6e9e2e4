import { expect } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";

test("the writer talks to the Foreman, sees what would be sent, and meets a closed gate", MAIN, async ({ page, context }) => {
  await page.goto("/workshop");
  await page.getByLabel("What you say").fill("She never asks for help.");
  await page.getByRole("button", { name: "What would be sent?" }).click();
  await expect(page.getByRole("heading", { name: /would be told/ })).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const answers = page.locator("article .message");
  await expect(answers.last()).toContainText(/Foreman .{20}/s);
  const before = await answers.count();
  await page.getByLabel("What you say").fill("Her sister is called Ida.");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByLabel("What you say")).toHaveValue("Her sister is called Ida.");
  await context.setOffline(false);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(answers).toHaveCount(before + 1);
  await expect(answers.last()).toContainText(/Foreman .{20}/s);
  await page.getByRole("button", { name: /^Go on to/ }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "workshop");
  await page.reload();
  await expect(answers).toHaveCount(before + 1);
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("patches are reviewed one by one, with the words that change, and undone", MAIN, async ({ page }) => {
  await page.goto("/workshop/patches");
  await expect(page.locator("del").first()).toHaveText("Ruth");
  await expect(page.locator("ins").first()).toHaveText("She");
  const waiting = page.getByRole("button", { name: /^Accept/ });
  const all = await waiting.count();
  await isAccessibleInBothThemes(page);
  await picture(page, "patches");
  await waiting.first().click();
  await expect(waiting).toHaveCount(all - 1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("is in the text")).toHaveCount(0);
  await page.getByRole("button", { name: /^Reject/ }).last().click();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the book is checked, and its facts are drawn", async ({ page }) => {
  await page.goto("/workshop/health");
  await page.getByRole("button", { name: "Check the book" }).click();
  await expect(page.getByText(/2 scenes, \d+ words/)).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "health");
  await page.goto("/workshop/graph");
  await expect(page.locator("canvas").first()).toBeVisible();
  await page.locator(".names button").first().click();
  await expect(page.getByRole("heading", { name: "Knows" })).toBeVisible();
  await page.getByRole("slider").fill("1");
  await expect(page.getByText("ch01-sc01").first()).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.goto("/workshop/lineup");
  await expect(page.getByText("There is no line-up yet")).toBeVisible();
  await isAccessibleInBothThemes(page);
});
