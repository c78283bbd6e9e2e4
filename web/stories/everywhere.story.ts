import { expect } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";

test("the palette leads anywhere by the keyboard alone", MAIN, async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Scenes", exact: true })).toBeVisible(); // the studio is there
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: /Go to a page/ });
  await expect(box).toBeFocused();
  await box.fill("alic");
  await expect(page.getByRole("option", { name: /Alice/ })).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "palette");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/characters\/alice$/);
  await page.keyboard.press("Control+k");
  await box.fill("cost");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/costs$/);
});

test("costs are shown by run, character, purpose, model and day", async ({ page }) => {
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
  await page.goto("/costs");
  for (const way of ["Character", "Purpose", "Model", "Day", "Run"]) {
    await page.getByLabel("By").selectOption(way);
    await expect(page.locator("tbody tr").first()).toBeVisible();
    await expect(page.locator("thead th").first()).toHaveText(way);
  }
  await isAccessibleInBothThemes(page);
  await picture(page, "costs");
});

test("costs say when older runs are left out, and count them too", async ({ page, request }) => {
  await request.post("/v1/scenes", { data: { scene: "the-apology" } });
  const spent = async () => (await (await request.get("/v1/costs")).json()) as { runs: { run: string }[] };
  await expect.poll(async () => (await spent()).runs.length).toBeGreaterThan(0);
  const some = await spent();
  const next = "1mkq8zt4c0v7hxw3rn";
  const older = { ...some, runs: some.runs.map((row) => ({ ...row, run: `${row.run}-older` })), next: null };
  await page.route(/\/v1\/costs\?/, (route) => route.fulfill({ json: route.request().url().endsWith(`before=${next}`) ? older : { ...some, next } }));
  await page.goto("/costs");
  await expect(page.getByText(new RegExp(`answers in ${some.runs.length} runs?\\.`))).toBeVisible();
  await expect(page.getByText("Older runs are not in these sums.")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.getByRole("button", { name: "Count older ones too" }).click();
  await expect(page.getByText(`answers in ${2 * some.runs.length} runs.`)).toBeVisible();
  await expect(page.locator("tbody tr")).toHaveCount(2 * some.runs.length);
  await expect(page.getByText("Older runs are not in these sums.")).toHaveCount(0);
});

test("on a phone no page of the author's is wider than the screen", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const address of ["/compose", "/characters", "/workshop/patches", "/workshop/health", "/workshop/graph", "/workshop/lineup", "/costs"]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByText("Loading…")).toHaveCount(0);
    await fits(page);
  }
});
