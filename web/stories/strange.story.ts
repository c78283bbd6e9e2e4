import { expect, test } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, NOVEL } from "./aids";

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
