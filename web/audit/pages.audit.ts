/** What Lighthouse says about the pages, for people who use aids and in its best practices: at least 95 of 100. */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, expect, test, type Page } from "@playwright/test";
import lighthouse, { type Config, type Flags } from "lighthouse";
import { GUARDED, NOVEL, PORT } from "../stories/aids";
import { PAGES } from "../stories/addresses";
import { begin, HOUSE, speak } from "../stories/house";

const LEAST = 95;
const CATEGORIES = ["accessibility", "best-practices"] as const;
const STUDIO = `http://127.0.0.1:${PORT}`;
const DEBUGGED = PORT + 7;
const NOT_FOUND = "/nowhere"; // Lighthouse looks at no page that answers 404
/** On a busy machine Lighthouse may give up before it has judged: it gives a browser one second to say that a page is alive. */
const TRIES = 5;
/** A page is judged as a desk or as a phone shows it; nothing here is about time. */
const DESK = { formFactor: "desktop", screenEmulation: { mobile: false, width: 1280, height: 800, deviceScaleFactor: 1, disabled: false } } as const;
const PHONE = { formFactor: "mobile", screenEmulation: { mobile: true, width: 390, height: 780, deviceScaleFactor: 2, disabled: false } } as const;

interface Audited {
  readonly address: string;
  readonly scores: readonly number[];
  /** What cost points, in Lighthouse's own words. */
  readonly faults: readonly string[];
}

async function audited(address: string, screen: typeof DESK | typeof PHONE = DESK): Promise<Audited> {
  const flags: Flags = { port: DEBUGGED, logLevel: "error", disableStorageReset: true, maxWaitForLoad: 45_000, disableFullPageScreenshot: true, throttlingMethod: "provided", onlyCategories: [...CATEGORIES], ...screen };
  const config: Config = { extends: "lighthouse:default" };
  let found = await lighthouse(address, flags, config);
  for (let tried = 1; tried < TRIES && (!found || found.lhr.runtimeError); tried++) found = await lighthouse(address, flags, config);
  if (!found || found.lhr.runtimeError) throw new Error(`${address}: ${found?.lhr.runtimeError?.message ?? "Lighthouse said nothing"}`);
  const { categories, audits } = found.lhr;
  const scores = CATEGORIES.map((one) => Math.round(100 * (categories[one]?.score ?? 0)));
  const weighed = CATEGORIES.flatMap((one) => categories[one]?.auditRefs ?? []).filter(({ weight }) => weight > 0);
  const failed = weighed.map(({ id }) => audits[id]).filter((one) => one !== undefined && one.score !== null && one.score < 1);
  const faults = failed.map((one) => `${one?.id}: ${JSON.stringify(one?.details ?? one?.title).slice(0, 400)}`);
  appendFileSync(process.env.AUDIT_SCORES ?? "node_modules/.scores.jsonl", `${JSON.stringify({ address, scores, faults })}\n`);
  return { address, scores, faults };
}

/** Pages of runs: each is made first, as a writer or a player would. */
async function made(page: Page): Promise<string[]> {
  const addresses: string[] = [];
  await page.goto(`${STUDIO}/scenes`);
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
  addresses.push(page.url());
  await page.getByRole("button", { name: "Several takes" }).click();
  await expect(page.getByText("3 of 3 reached the goal")).toBeVisible();
  addresses.push(page.url());
  await page.goto(`${STUDIO}/acts`);
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("→ the end")).toBeVisible();
  addresses.push(page.url());
  await page.goto(`${STUDIO}/ensemble`);
  await page.getByLabel("Ask the ensemble").fill("What is courage?");
  await page.getByLabel("speak", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page.getByText("6 answered.")).toBeVisible();
  const ensemble = page.url().replace(/\?.*/, "");
  addresses.push(ensemble, `${ensemble}/stage`);
  await page.goto(`${STUDIO}/characters/alice`);
  await page.getByRole("button", { name: "Talk to Alice" }).click();
  await expect(page).toHaveURL(/\/talk\/\w+$/);
  addresses.push(page.url());
  return addresses;
}

test("each of the pages has at least 95 of 100 for people who use aids and for best practices", async () => {
  const { executablePath, args = [] } = test.info().project.use.launchOptions ?? {};
  const profile = mkdtempSync(join(tmpdir(), "dramaturg-audit-")); // Lighthouse opens its pages in the browser's own profile
  const context = await chromium.launchPersistentContext(profile, { ...(executablePath ? { executablePath } : {}), locale: "en-GB", args: [...args, `--remote-debugging-port=${DEBUGGED}`] });
  try {
    const page = await context.newPage();
    const own = [...PAGES.filter((path) => path !== NOT_FOUND).map((path) => `${STUDIO}${path}`), ...(await made(page)), `${NOVEL}/workshop/book`, `${NOVEL}/workshop/board`, GUARDED];
    await begin(page, "the-flirt-test");
    await speak(page, "Good evening.");
    const players = [`${HOUSE}/play`, `${HOUSE}/play/start/the-flirt-test`, page.url()];
    const all: Audited[] = [];
    for (const address of own) all.push(await audited(address));
    for (const address of players) all.push(await audited(address, PHONE));
    expect(all.filter(({ scores }) => scores.some((score) => score < LEAST))).toEqual([]);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});
