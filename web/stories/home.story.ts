import { expect } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, test } from "./aids";

test("the first page follows what is playing, with what each run has cost so far", MAIN, async ({ page }) => {
  let usd = 0.25;
  const row = (tokens: number, price: number) => ({ inputTokens: tokens, outputTokens: 0, usd: price });
  await page.route(/\/v1\/runs\/\w+\/costs$/, (route) => route.fulfill({ json: { total: row(1234, usd), shared: row(234, 0) } }));
  await page.goto("/");
  const response = await page.request.post("/v1/scenes", { data: { scene: "the-apology", person: "bob", wait: true } });
  const { run } = (await response.json()) as { run: string };
  const list = (name: string) => page.getByRole("region", { name }).getByRole("listitem").filter({ has: page.locator(`a[href="/scenes/${run}"]`) });
  await expect(list("Playing now")).toContainText("$0.2500 so far, 1,000 tokens");
  usd = 1.5;
  await expect(list("Playing now")).toContainText("$1.50 so far");
  await isAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
  await page.request.post(`/v1/runs/${run}/cancel`);
  await expect(list("Recently")).toContainText("stopped");
  await expect(list("Playing now")).toHaveCount(0);
});

test("a first page that cannot ask for a while stays as it is, and follows again", async ({ page, context }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Who plays here" })).toBeVisible();
  await context.setOffline(true);
  await page.waitForEvent("requestfailed");
  await expect(page.getByRole("heading", { name: "Who plays here" })).toBeVisible();
  await context.setOffline(false);
  const response = await page.request.post("/v1/scenes", { data: { scene: "the-apology", person: "bob", wait: true } });
  const { run } = (await response.json()) as { run: string };
  await expect(page.locator(`a[href="/scenes/${run}"]`)).toBeVisible();
  await page.request.post(`/v1/runs/${run}/cancel`);
});

test("a model that is told twice stands there twice, and the page goes on", async ({ page }) => {
  await page.route("**/v1/models", async (route) => {
    const told = (await (await route.fetch()).json()) as { providers: { models: unknown[] }[] };
    const providers = told.providers.map((one) => ({ ...one, usable: true, models: [...one.models, ...one.models] }));
    return route.fulfill({ json: { ...told, providers } });
  });
  await page.goto("/");
  await expect(page.getByText("Get a model for this machine")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Who plays here" }).getByRole("option", { name: "anthropic/claude-sonnet-5", exact: true })).toHaveCount(2);
});

for (const [part, address, shown] of [
  ["what is asked for anew", "**/v1/models", "Get a model for this machine"],
  ["what stays while it is asked for", "**/v1/costs?*", "0 tokens"],
] as const) {
  test(`a part of a page that cannot be shown says so, and the rest stays: ${part}`, async ({ page }) => {
    await page.route(address, (route) => route.fulfill({ json: { providers: "none", total: null } }));
    await page.goto("/");
    await expect(page.getByRole("alert")).toContainText("This part of the page has failed");
    await expect(page.getByRole("link", { name: "All scenes" })).toBeVisible();
    await page.unroute(address);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("alert")).toHaveCount(0);
    await expect(page.locator("section[aria-labelledby=who]").getByText(shown)).toBeVisible();
  });
}
