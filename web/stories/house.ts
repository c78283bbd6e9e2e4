/** What the stories of players and ensembles share: the players' house, the check for people who use aids, pictures. */
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

export const PORT = Number(process.env.STORY_PORT ?? 8417);
export const HOUSE = `http://127.0.0.1:${PORT + 1}`;
export const HOST_TOKEN = "the-token-of-the-host-in-the-stories";
export const PHONE = { width: 390, height: 780 };

export async function isAccessible(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
}

export async function fits(page: Page) {
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
}

/** A picture of the page as it is now, for people to look at. */
export async function picture(page: Page, name: string, fullPage = false) {
  await page.screenshot({ path: `node_modules/.pictures/${name}.png`, fullPage });
}

export async function begin(page: Page, episode: string, name = "Anna") {
  await page.goto(`${HOUSE}/play/start/${episode}`);
  await page.getByLabel("What may they call you?").fill(name);
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(page).toHaveURL(/\/play\/\w{18}$/);
  await expect(page.locator("article:not(.arriving)")).toHaveCount(1);
}

export async function speak(page: Page, text: string) {
  const answers = page.locator("article:not(.mine):not(.arriving)");
  const before = await answers.count();
  await page.getByLabel("Say something").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await expect(answers).toHaveCount(before + 1);
  await expect(page.getByLabel("Say something")).toHaveValue("");
}
