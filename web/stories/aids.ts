/** What several stories ask of a page. */
import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type Locator, type Page } from "@playwright/test";

export const PORT = Number(process.env.STORY_PORT ?? 8417);
/** The server that asks for a login. */
export const GUARDED = `http://127.0.0.1:${PORT + 3}`;
/** The server with a book that is planned and almost written. */
export const NOVEL = `http://127.0.0.1:${PORT + 5}`;
export const TOKEN = "the-token-of-the-stories";
/** For the main stories of each page, which `make test` tries; CI tries all. */
export const MAIN = { tag: "@main" };

/** What a page raises although it is seen to: Svelte's own `bind:paused`, and a part of an older studio, which the page tells. */
const SEEN_TO = /interrupted by a call to pause|dynamically imported module/;

/** A story, at the end of which no page has raised an error that it did not show. */
export const test = base.extend<{ soundness: void }>({
  soundness: [
    async ({ context }, use) => {
      const raised: string[] = [];
      context.on("weberror", (raise) => raised.push(raise.error().message));
      await use();
      expect(raised.filter((one) => !SEEN_TO.test(one))).toEqual([]);
    },
    { auto: true },
  ],
});

export async function isAccessible(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
}

/** The page as it is now, in both themes, without a serious fault for people who use aids. */
export async function isAccessibleInBothThemes(page: Page) {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await isAccessible(page);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** A picture of the page for the tour, from its top or from a place in it, if pictures are wanted. */
export async function picture(page: Page, name: string, from?: Locator) {
  const folder = process.env.STORY_PICTURES;
  if (!folder) return;
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1100, height: 620 });
  await page.evaluate(() => scrollTo(0, 0));
  await from?.evaluate((place) => place.scrollIntoView({ block: "start" }));
  await page.screenshot({ path: `${folder}/${name}.png`, animations: "disabled" });
  if (before) await page.setViewportSize(before);
}

export async function fits(page: Page) {
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
}
