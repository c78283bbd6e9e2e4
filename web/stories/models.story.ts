import { expect, type Page } from "@playwright/test";
import { fits, GUARDED, isAccessibleInBothThemes, MAIN, PORT, test, TOKEN } from "./aids";
import { picture } from "./house";

const OLLAMA = `http://127.0.0.1:${PORT + 6}`;
test.describe.configure({ mode: "serial" }); // one download at a time, and the double holds them all

test.afterEach(({ request }) => request.post(`${OLLAMA}/release`)); // also when a story ended in the middle of a download

async function askFor(page: Page, model: string) {
  await page.getByText("Get a model for this machine").click();
  await page.getByLabel("Which one").selectOption("another, by its name");
  await page.getByLabel("Its name in Ollama").fill(model);
  await page.getByRole("button", { name: "Download it" }).click();
}

const download = (page: Page, model: string) => page.getByRole("list", { name: "Downloads" }).getByRole("listitem").filter({ hasText: model });

test("a model is got with progress, left, found again, stopped, gone on with, and plays", MAIN, async ({ page, request }) => {
  const chosen: unknown[] = [];
  await page.route("**/v1/models/choice", (route) => {
    chosen.push(route.request().postDataJSON()); // the other stories go on with the company
    return route.fulfill({ json: { choice: "ollama/tiny:latest", reason: "Playing with ollama/tiny:latest." } });
  });
  await request.post(`${OLLAMA}/hold`);
  await page.goto("/");
  await askFor(page, "tiny");
  await expect(download(page, "tiny:latest")).toContainText("1 GB of 2 GB, 50 %");
  await picture(page, "home-download", true);
  await isAccessibleInBothThemes(page);
  await page.goto("/costs");
  await page.goto("/");
  await expect(download(page, "tiny:latest").getByRole("progressbar")).toBeVisible();
  await askFor(page, "tiny"); // a second click begins nothing
  await expect(download(page, "tiny:latest")).toHaveCount(1);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(download(page, "tiny:latest")).toContainText("was stopped. What arrived is kept.");
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(download(page, "tiny:latest").getByRole("progressbar")).toBeVisible();
  await request.post(`${OLLAMA}/release`);
  await expect(download(page, "tiny:latest")).toContainText("is here.");
  await download(page, "tiny:latest").getByRole("button", { name: "Let it play" }).click();
  await expect(page.getByRole("combobox", { name: "Who plays here" })).toHaveValue("ollama/tiny:latest");
  expect(chosen).toEqual([{ model: "ollama/tiny:latest" }]);
  await page.getByRole("button", { name: "Take off the list" }).click();
  await expect(page.getByRole("list", { name: "Downloads" })).toBeHidden();
});

test("a model that Ollama does not know is said where it was asked for", async ({ page }) => {
  await page.goto("/");
  await askFor(page, "two words");
  await expect(page.getByRole("alert")).toContainText("not the name of a model");
  await page.getByLabel("Its name in Ollama").fill("no-such-model");
  await page.getByRole("button", { name: "Download it" }).click();
  await expect(download(page, "no-such-model")).toContainText("Ollama knows no no-such-model:latest");
  await page.getByRole("button", { name: "Take off the list" }).click();
});

test("where no Ollama answers the page says how to come by one, in German on a phone", async ({ browser }) => {
  const page = await (await browser.newContext({ locale: "de-DE" })).newPage();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(GUARDED);
  await page.getByLabel("Das Token des Servers").fill(TOKEN);
  await page.keyboard.press("Enter");
  await page.getByText("Ein Modell für dieses Gerät holen").click();
  await expect(page.getByText("antwortet kein Ollama")).toBeVisible();
  await expect(page.getByRole("button", { name: "Noch einmal nachsehen" })).toBeVisible();
  await fits(page);
});
