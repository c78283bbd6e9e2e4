/** Odd material: names that no page was drawn for, files that cannot be read, and a reader who reads no English. */
import { expect } from "@playwright/test";
import { fits, isAccessibleInBothThemes, test } from "./aids";

const WIDE = "Donaudampfschifffahrtsgesellschaftskapitaen".repeat(5).slice(0, 200);
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };

test("a name of two hundred letters fits the form of a scene and its stage, on a phone and on a desk", async ({ page }) => {
  await page.route("**/v1/characters", async (route) => {
    const told = (await (await route.fetch()).json()) as { characters: { displayName: string }[] };
    await route.fulfill({ json: { characters: told.characters.map((one) => ({ ...one, displayName: WIDE })) } });
  });
  await page.goto("/compose");
  await expect(page.getByText(WIDE).first()).toBeVisible();
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size);
    await fits(page);
  }
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
  const log = await (await page.request.get(page.url().replace("/scenes/", "/v1/runs/") + "/events?audience=author")).text();
  await page.route(/\/v1\/runs\/[^/]+\/events\?/, (route) => {
    const wasRead = route.request().headers()["last-event-id"] !== undefined;
    return route.fulfill(wasRead ? { status: 204 } : { headers: { "Content-Type": "text/event-stream" }, body: log.replaceAll("Bob", WIDE) });
  });
  await page.reload();
  await expect(page.locator("article").first()).toBeVisible();
  await expect(page.getByText("goal achieved")).toBeVisible();
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size);
    await fits(page);
  }
});

test("a card that cannot be read has a page all the same, and is mended there", async ({ page }) => {
  let mended = false;
  const error = { code: "CHARACTER_LOAD_ERROR", message: "Character 'alice' cannot be read: line 3.", context: {} };
  const card = { name: "alice", text: "---\nlanguage: [en\n---\n", digest: "d", editable: true, tokens: 9 };
  await page.route("**/v1/characters/alice", (route) => (mended ? route.continue() : route.fulfill({ status: 422, json: { success: false, error } })));
  await page.route("**/v1/characters/alice/card", (route) => {
    if (route.request().method() !== "PUT") return mended ? route.continue() : route.fulfill({ json: card });
    mended = true;
    return route.fulfill({ json: card });
  });
  await page.goto("/characters/alice");
  await expect(page.getByRole("heading", { level: 1, name: "alice" })).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("cannot be read: line 3");
  await isAccessibleInBothThemes(page);
  await page.getByRole("textbox", { name: /^The card/ }).fill("# Alice");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Alice", exact: true })).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("an episode whose file cannot be read is listed with the reason and the way to its file", async ({ page }) => {
  const unreadable = [{ name: "half", problem: "episodes/half.yaml, line 2: not valid YAML." }];
  await page.route("**/v1/episodes", (route) => route.fulfill({ json: { episodes: [], unreadable } }));
  await page.goto("/episodes");
  await expect(page.getByText("Cannot be played: episodes/half.yaml, line 2")).toBeVisible();
  await expect(page.getByRole("link", { name: "half" })).toHaveAttribute("href", "/episodes/half");
  await isAccessibleInBothThemes(page);
});

test.describe("in German", () => {
  test.use({ locale: "de-DE" });

  test("pages say that they are German, and what the server refuses is said in German first", async ({ page }) => {
    await page.goto("/characters/nobody-at-all");
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    await expect(page.getByRole("alert")).toContainText("Das gibt es hier nicht. Auf Englisch sagt der Server: There is no character 'nobody-at-all'.");
  });

  test("how scenes ended, and where a book stands, is said in German", async ({ page, request }) => {
    const { link } = (await (await request.post("/v1/takes", { data: { scene: "the-apology", models: ["rehearsal"], seeds: [1, 2] } })).json()) as { link: string };
    await page.goto(link.replace("/v1", ""));
    await expect(page.getByText("Ziel erreicht").first()).toBeVisible();
    await expect(page.getByText("goal achieved")).toHaveCount(0);
    const { run } = (await (await request.post("/v1/acts", { data: { act: "two-evenings" } })).json()) as { run: string };
    await page.goto(`/acts/${run}`);
    await expect(page.getByText("in der Reihenfolge des Akts").first()).toBeVisible();
    await expect(page.getByText("beendet")).toBeVisible();
    await expect(page.getByText("Ziel erreicht").first()).toBeVisible();
    await page.goto("/workshop");
    await expect(page.getByText(/^(Architekt|Stimmprobe|Regie|Lektorat)$/)).toBeVisible();
  });
});
