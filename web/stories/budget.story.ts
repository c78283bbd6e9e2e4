import { expect } from "@playwright/test";
import { PAGES } from "./addresses";
import { isAccessibleInBothThemes, test } from "./aids";

/** Bytes as they come over the wire, until a page is drawn; an editor, a plot or a graph has its own. */
const MOST = 400_000;
const OWN: Readonly<Record<string, number>> = { "/workshop/graph": 500_000 };

test.slow(); // every page, in both themes
test("every page loads from its own house alone, without an error, within its weight, and names what it shows", async ({ page, baseURL }) => {
  const elsewhere: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL ?? "") && !request.url().startsWith("data:")) elsewhere.push(request.url());
  });
  page.on("console", (message) => message.type() === "error" && !message.text().includes("404") && errors.push(`${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`));
  for (const address of PAGES) {
    await page.goto(address);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await expect(page.getByText("Loading…")).toHaveCount(0);
    const bytes = await page.evaluate(() => performance.getEntriesByType("resource").reduce((sum, one) => sum + (one as PerformanceResourceTiming).transferSize, 0));
    expect(bytes, address).toBeLessThan(OWN[address] ?? MOST);
    expect(await page.title(), address).toMatch(/\S/);
    await isAccessibleInBothThemes(page);
  }
  expect([elsewhere, errors]).toEqual([[], []]);
});
