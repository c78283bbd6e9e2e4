import { expect, type Page } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";

async function played(page: Page) {
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
}

test("several takes of a scene stand beside each other, with what differs in line", async ({ page }) => {
  await played(page);
  await page.getByRole("button", { name: "Several takes" }).click();
  await expect(page).toHaveURL(/\/takes\/\w+$/);
  await expect(page.getByText("3 of 3 reached the goal")).toBeVisible();
  const rows = page.getByRole("list", { name: /beside each other/ }).getByRole("listitem");
  await expect(rows.first()).toBeVisible();
  const all = await rows.count();
  await isAccessibleInBothThemes(page);
  await picture(page, "takes");
  await page.getByLabel("Only what differs").check();
  expect(await rows.count()).toBeLessThanOrEqual(all);
  await page.getByLabel("Left").selectOption({ index: 1 });
  await page.getByLabel("Right").selectOption({ index: 1 });
  await expect(page.getByText("Both takes are the same.")).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("an act is played scene by scene on a board, and again from one of its scenes", MAIN, async ({ page }) => {
  await page.goto("/acts");
  await isAccessibleInBothThemes(page);
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByRole("link", { name: "the-next-evening" })).toBeVisible();
  await expect(page.getByText("→ the end")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "act");
  const first = page.url();
  await page.getByRole("button", { name: "Play again from here 2" }).click();
  await expect(page).not.toHaveURL(first);
  await expect(page.getByText("→ the end")).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("a scene is listened to, and the line that is heard is marked", async ({ page }) => {
  test.slow(); // every line is spoken first
  await played(page);
  await page.getByRole("button", { name: "Listen" }).click();
  const audio = page.locator("audio");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible({ timeout: 200_000 });
  const run = page.url().split("/").at(-1) ?? "";
  const { passages } = (await (await page.request.get(`/v1/runs/${run}/programme`)).json()) as { passages: { id: string; startMs: number; text: string }[] };
  const wanted = passages.filter(({ id }) => Number(id) > 0).at(2);
  await expect.poll(() => audio.evaluate((sound: HTMLAudioElement) => sound.readyState)).toBeGreaterThan(0);
  await audio.evaluate((sound: HTMLAudioElement, ms) => void (sound.currentTime = ms / 1000), (wanted?.startMs ?? 0) + 60);
  await expect(page.locator(".heard")).toContainText((wanted?.text ?? "").slice(0, 20));
  await expect(page.locator(".captions span").last()).toContainText((wanted?.text ?? "").slice(0, 12));
  await isAccessibleInBothThemes(page);
  await picture(page, "listening");
});

test("the lines of a scene are heard as they are played, and the one that is heard is marked", async ({ page }) => {
  const wanted = { scene: "the-apology", person: "bob", wait: true }; // it waits for Bob, so that it is still played
  const { run } = (await (await page.request.post("/v1/scenes", { data: wanted })).json()) as { run: string };
  await page.goto(`/scenes/${run}`);
  await expect(page.locator("article").first()).toContainText("Alice");
  await page.getByRole("button", { name: "Listen as it plays" }).click();
  await expect(page.getByText("The next line will be heard.")).toBeVisible();
  const sound = page.waitForResponse(/\/lines\/1\/sound$/);
  await page.reload(); // what was wished for holds, and so early in a scene it is heard from its beginning
  expect((await sound).status()).toBe(200);
  await expect(page.getByText("Heard now: Alice")).toBeVisible();
  await expect(page.locator(".heard")).toContainText("thread");
  await isAccessibleInBothThemes(page);
  await picture(page, "hearing");
  await page.getByRole("button", { name: "Stop listening" }).click();
  await expect(page.locator(".heard")).toHaveCount(0);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.request.post(`/v1/runs/${run}/cancel`);
});
