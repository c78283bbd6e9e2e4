import { expect, type Locator, type Page } from "@playwright/test";
import { HOST_TOKEN, HOUSE } from "./house";
import { fits, GUARDED, isAccessibleInBothThemes, MAIN, NOVEL, test, TOKEN } from "./aids";

test("a tab of an older studio asks to be reloaded, and stays where it is", MAIN, async ({ page }) => {
  await page.goto("/workshop");
  await page.getByLabel("What you say").fill("Her sister is called Ida.");
  await page.route(/\/studio\/[^/]+\.js$/, (route) => route.fulfill({ status: 404, body: "{}" }));
  await page.getByRole("link", { name: "Episodes" }).click();
  await expect(page.getByText("The studio was upgraded")).toBeVisible();
  await page.unroute(/\/studio\/[^/]+\.js$/);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.goto("/workshop");
  await expect(page.getByLabel("What you say")).toHaveValue("Her sister is called Ida.");
});

test("a clock that is an hour off changes nothing of a scene", async ({ page }) => {
  await page.clock.setSystemTime(Date.now() - 3_600_000);
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
  await expect(page.getByText("The provider is busy")).toHaveCount(0);
  await page.clock.setSystemTime(Date.now() + 3_600_000);
  await page.reload();
  await expect(page.getByText("goal achieved")).toBeVisible();
});

test("five thousand runs are listed, and the page still answers and fits a phone", async ({ page }) => {
  const runs = Array.from({ length: 5_000 }, (_, at) => ({ run: String(at).padStart(18, "0"), kind: "scene", name: `take-${at}`, status: "ended", createdAt: 1_700_000_000 + at, updatedAt: 1_700_000_000 + at }));
  await page.route(/\/v1\/runs\?/, (route) => route.fulfill({ json: { runs: new URL(route.request().url()).searchParams.has("kind") ? [] : runs } }));
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/runs");
  await expect(page.getByRole("link", { name: "take-4999", exact: true })).toBeAttached();
  await fits(page);
  await page.getByLabel("Kind").selectOption("ensemble");
  await expect(page.getByRole("link", { name: /^take-/ })).toHaveCount(0);
});

test("older runs are asked for page by page, after the last one that is shown", async ({ page }) => {
  const run = (id: string, name: string) => ({ run: id.padStart(18, "0"), kind: "scene", name, status: "ended", createdAt: 1, updatedAt: 1 });
  const pages: Record<string, object> = { "": { runs: [run("2", "newest")], next: "newest" }, newest: { runs: [], next: "between" }, between: { runs: [run("1", "oldest")], next: null } };
  const asked: string[] = [];
  await page.route(/\/v1\/runs\?limit=200/, (route) => {
    const before = new URL(route.request().url()).searchParams.get("before") ?? "";
    if (before) asked.push(before); // the newest page is read again and again
    return route.fulfill({ json: pages[before] });
  });
  await page.goto("/runs");
  const older = page.getByRole("button", { name: "Older ones" });
  await older.click();
  await expect.poll(() => asked).toEqual(["newest"]);
  await older.click();
  await expect(page.getByRole("link", { name: "oldest", exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "newest", exact: true })).toBeVisible();
  await expect(older).toHaveCount(0);
  expect(asked).toEqual(["newest", "between"]);
  await isAccessibleInBothThemes(page);
});

test("entries that a newer dramaturg wrote are named, and the rest of the scene is shown", async ({ page }) => {
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
  const lines = await page.locator("article").allInnerTexts();
  const log = await (await page.request.get(page.url().replace("/scenes/", "/v1/runs/") + "/events?audience=author")).text();
  const strange = { seq: 0, at: 0, event: { type: "line.spoken", unknown: true, body: { type: "line.spoken", melody: "la" } } };
  const frames = log.trim().split(/\n\n/).map((frame, at) => frame.replace(/^id: .*$/m, `id: ${2 * at + 1}`));
  const body = frames.map((frame, at) => `${frame}\n\nid: ${2 * at + 2}\ndata: ${JSON.stringify(strange)}\n\n`).join("");
  await page.route(/\/v1\/runs\/[^/]+\/events\?/, (route) => {
    const wasRead = route.request().headers()["last-event-id"] !== undefined;
    return route.fulfill(wasRead ? { status: 204 } : { headers: { "Content-Type": "text/event-stream" }, body });
  });
  await page.reload();
  await expect(page.getByText(/A newer dramaturg wrote \d+ entries here.*\(line\.spoken\)/)).toBeVisible();
  await expect(page.getByText("goal achieved")).toBeVisible();
  expect(await page.locator("article").allInnerTexts()).toEqual(lines);
  await page.getByRole("slider", { name: "Beat that is shown" }).fill("2");
  await expect.poll(() => page.locator("article").count()).toBeLessThan(lines.length);
  await isAccessibleInBothThemes(page);
});

test("a run of a kind and a status that this studio does not know is listed all the same", async ({ page }) => {
  const strange = { run: "0".repeat(18), kind: "opera", name: "Act <b>one</b>", status: "rained-off", createdAt: 1, updatedAt: 1 };
  await page.route(/\/v1\/runs\?/, (route) => route.fulfill({ json: { runs: [strange] } }));
  await page.goto("/runs");
  await expect(page.getByText("Act <b>one</b>")).toBeVisible();
  await expect(page.getByText("rained-off")).toBeVisible();
});

test("ten megabytes pasted into a scene of the book are refused by the server with a reason, and kept in the page", async ({ page }) => {
  test.slow();
  await page.goto(`${NOVEL}/workshop/book?scene=ch01-sc02`);
  const writing = page.locator(".cm-content");
  await expect(writing).toBeVisible();
  await writing.click();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "It rained all day. ".repeat(550_000));
    const target = [...document.querySelectorAll("*")].map((one) => one.shadowRoot?.querySelector(".cm-content")).find(Boolean);
    target?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByRole("status").first()).not.toHaveText("saved");
});

test("the list of runs follows what is played, and is filtered by kind and state", async ({ page }) => {
  const run = (status: string) => ({ run: "1".repeat(18), kind: "drill", name: "the drill", status, createdAt: 1, updatedAt: 1 });
  const asked: string[] = [];
  let status = "playing";
  await page.route(/\/v1\/runs\?/, (route) => (asked.push(new URL(route.request().url()).search), route.fulfill({ json: { runs: [run(status)] } })));
  await page.goto("/runs");
  await expect(page.getByRole("listitem")).toContainText("playing");
  status = "ended";
  await expect(page.getByRole("listitem")).toContainText("ended");
  await page.getByLabel("Kind").selectOption("drill");
  await page.getByLabel("State").selectOption("failed");
  await expect.poll(() => asked.at(-1)).toContain("kind=drill&status=failed");
});

/** Pasted as by hand: the field has what it takes itself. */
async function paste(page: Page, field: Locator, text: string, times: number) {
  await field.focus();
  const isTaken = await field.evaluate(
    (target, [words, count]) => {
      const data = new DataTransfer();
      data.setData("text/plain", words.repeat(count));
      return target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    },
    [text, times] as const,
  );
  if (isTaken) await page.keyboard.insertText("taken");
}

const asHost = (page: Page) => page.request.post(`${HOUSE}/v1/login`, { data: { token: HOST_TOKEN } });

const TEN_MEGABYTES = 550_000;

for (const { where, open, limit } of [
  { where: "a card", limit: "262,144", open: async (page: Page) => (await page.goto("/characters/alice"), page.getByRole("textbox", { name: /^The card/ })) },
  { where: "an episode's file", limit: "200,000", open: async (page: Page) => (await asHost(page), await page.goto(`${HOUSE}/episodes/closing-time`), page.getByLabel("episodes/closing-time.yaml")) },
  { where: "the Foreman's chat", limit: "20,000", open: async (page: Page) => (await page.goto("/workshop"), page.getByLabel("What you say")) },
  { where: "a seat", limit: "4,000", open: seated },
]) {
  test(`ten megabytes pasted into ${where} are refused with a sentence; what stood there stays, and the page goes on`, async ({ page }) => {
    const field = await open(page);
    await expect(field).toBeVisible();
    const before = await field.inputValue();
    await paste(page, field, "It rained all day. ", TEN_MEGABYTES);
    await expect(page.getByRole("alert")).toContainText(`at most ${limit} fit here`);
    expect(await field.inputValue()).toBe(before);
    await isAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await fits(page);
    await field.press("End");
    await page.keyboard.insertText("!"); // the page takes what is typed, and the sentence has gone
    expect(await field.inputValue()).not.toBe(before);
    await expect(page.getByRole("alert").filter({ hasText: "fit here" })).toHaveCount(0);
    await paste(page, field, "A short word. ", 1);
    await expect(field).toHaveValue(/taken/);
  });
}

async function seated(page: Page): Promise<Locator> {
  const { run } = (await (await page.request.post("/v1/scenes", { data: { scene: "the-apology", person: "bob", wait: true } })).json()) as { run: string };
  await page.goto(`/scenes/${run}/seat/bob`);
  return page.getByLabel("What you say or do");
}

/** How often the page was drawn while the graph was laid out, and how long it did not answer. */
interface Seen {
  readonly tasks: number[];
  frames: number;
}

test("a book with twenty thousand facts is drawn as far as one can read it, and its page stays usable", async ({ page }) => {
  await page.addInitScript(() => {
    const seen = ((window as unknown as { seen: Seen }).seen = { tasks: [], frames: 0 });
    new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask", buffered: true });
    const look = () => ((seen.frames += document.querySelector("[aria-busy=true] canvas") ? 1 : 0), requestAnimationFrame(look));
    look();
  });
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await page.request.post(`${GUARDED}/v1/login`, { data: { token: TOKEN } });
  await page.goto(`${GUARDED}/workshop/graph`);
  await expect(page.getByText(/20,0\d\d facts/)).toBeVisible();
  const drawing = page.getByRole("img", { name: /^A graph of/ });
  await expect(drawing.locator("canvas").first()).toBeVisible();
  await expect(drawing).toHaveAttribute("aria-busy", "false");
  await expect(page.getByText(/more facts are not drawn/)).toBeVisible();
  const names = page.getByRole("complementary").getByRole("button", { name: /^Person/ });
  await expect(names).toHaveCount(50);
  await names.nth(7).click();
  const facts = page.getByRole("complementary").getByRole("link", { name: "what rests on it" });
  await expect(facts).toHaveCount(100);
  await page.getByRole("button", { name: /^Show 100 more/ }).first().click();
  await expect(facts).toHaveCount(200);
  await page.getByRole("slider").fill("1");
  await page.getByRole("slider").fill("3");
  await expect(drawing).toHaveAttribute("aria-busy", "false");
  await expect(drawing.locator(".sheet")).toHaveCount(1);
  const drawn = Number(/\d+/.exec((await drawing.getAttribute("aria-label")) ?? "")?.[0]);
  expect(drawn).toBeGreaterThan(20);
  expect(drawn).toBeLessThanOrEqual(600);
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(3_000);
  const { tasks, frames } = await page.evaluate(() => (window as unknown as { seen: Seen }).seen);
  test.info().annotations.push({ type: "longest task, ms", description: String(Math.max(0, ...tasks)) });
  expect(frames).toBeGreaterThan(20); // all at once, it would be one
  expect(errors).toEqual([]);
  await isAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
  await page.getByRole("link", { name: "Patches" }).click(); // it goes on to another page at once
  await expect(page.getByRole("heading", { level: 1, name: "Patches" })).toBeVisible();
});
