import { expect } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, test } from "./aids";

const KEY = "sk-pasted-into-a-story";

test("a key is pasted for a model, sent once, and is nowhere in the page afterwards", MAIN, async ({ page }) => {
  const sent: unknown[] = [];
  await page.route("**/v1/models/choice", (route) => {
    sent.push(route.request().postDataJSON()); // the other stories go on with the company
    return route.fulfill({ json: { choice: "openai/gpt-4.1", reason: "Playing with openai/gpt-4.1." } });
  });
  await page.goto("/");
  await page.getByText("Other models").click();
  await page.getByLabel("A model that needs a key").selectOption("openai/gpt-4.1");
  await page.getByLabel("Its key").fill(KEY);
  await isAccessibleInBothThemes(page);
  await page.getByRole("button", { name: "Let it play" }).click();
  await expect(page.getByRole("combobox", { name: "Who plays here" })).toHaveValue("openai/gpt-4.1");
  expect(sent).toEqual([{ model: "openai/gpt-4.1", key: KEY }]);
  await expect(page.getByLabel("Its key")).toHaveValue("");
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href + document.documentElement.outerHTML);
  expect(kept).not.toContain(KEY);
});

test("a key that cannot be one is refused by the server with the reason, in German too", async ({ browser, baseURL }) => {
  const page = await (await browser.newContext({ locale: "de-DE", ...(baseURL ? { baseURL } : {}) })).newPage();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/");
  await page.getByText("Andere Modelle").click();
  await page.getByLabel("Sein Schlüssel").fill("zu kurz");
  await page.getByRole("button", { name: "Spielen lassen" }).click();
  await expect(page.getByRole("alert")).toContainText("8 to 500 characters");
  await fits(page);
});
