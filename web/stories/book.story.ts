import { expect, type Page } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, NOVEL, picture, test } from "./aids";

test.use({ baseURL: NOVEL });

const writing = (page: Page) => page.locator(".cm-content");
const standing = (page: Page) => page.getByRole("status").first();

async function open(page: Page, what: string) {
  await page.goto(`/workshop/book?${what}`);
  await expect(writing(page)).toBeVisible();
}

async function add(page: Page, words: string) {
  await writing(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(words);
}

/** A scene of the story's own, so that stories can run beside each other. */
async function fresh(page: Page, text: string) {
  const name = `ch09-sc${String(Date.now()).slice(-6)}`;
  const put = await page.request.put(`/v1/projects/main/manuscript/scenes/${name}`, { data: { text } });
  expect(put.ok()).toBe(true);
  return name;
}

const textOf = async (page: Page, name: string) =>
  ((await (await page.request.get(`/v1/projects/main/manuscript/scenes/${name}`)).json()) as { text: string }).text;

test("a scene is written, saved by the keyboard, and the saving is undone", MAIN, async ({ page }) => {
  const name = await fresh(page, "# The lamp\n\nRuth put the *lamp* on the sill.\n");
  await open(page, `scene=${name}`);
  await expect(standing(page)).toHaveText("saved");
  await isAccessibleInBothThemes(page);
  await add(page, "It rained.");
  await expect(standing(page)).toContainText("not saved yet");
  await page.keyboard.press("Control+s");
  await expect(standing(page)).toHaveText("saved");
  expect(await textOf(page, name)).toContain("It rained.");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(writing(page)).not.toContainText("It rained.");
  expect(await textOf(page, name)).not.toContain("It rained.");
  await page.goto("/workshop/book?scene=ch02-sc02");
  await expect(writing(page)).toContainText("Dagny");
  await picture(page, "book");
});

test("what was typed survives a reload and a lost network, and is saved when the network is back", async ({ page, context }) => {
  const name = await fresh(page, "The harbour was grey.\n");
  await open(page, `scene=${name}`);
  await add(page, "Nobody came.");
  await page.reload();
  await expect(writing(page)).toContainText("Nobody came.");
  await expect(page.getByText("which were not saved")).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("cannot be reached");
  await expect(standing(page)).toContainText("kept in this browser");
  await context.setOffline(false);
  await expect(standing(page)).toHaveText("saved");
  expect(await textOf(page, name)).toContain("Nobody came.");
});

test("two windows write one scene: the second sees both texts and keeps both", async ({ page, context }) => {
  const name = await fresh(page, "One.\n\nTwo.\n\nThree.\n");
  await open(page, `scene=${name}`);
  const other = await context.newPage();
  await open(other, `scene=${name}`);
  await expect(page.getByText("also open in another window")).toBeVisible();
  await writing(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("Mine first. ");
  await add(other, "Theirs last.");
  await other.getByRole("button", { name: "Save" }).click();
  await expect(standing(other)).toHaveText("saved");
  await expect(page.getByRole("alert")).toContainText("Somebody else has changed this");
  await expect(page.locator(".cm-deletedChunk").last()).toContainText("Theirs last.");
  await isAccessibleInBothThemes(page);
  await picture(page, "book-conflict");
  await page.getByRole("button", { name: "Keep both" }).click();
  await expect(page.getByText("Nothing was at the same place")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(standing(page)).toHaveText("saved");
  expect(await textOf(page, name)).toBe("Mine first. One.\n\nTwo.\n\nThree.\nTheirs last.");
  await expect(writing(other)).toContainText("Mine first.");
});

test("a file that was changed on the disk meanwhile is not written over", async ({ page }) => {
  const name = await fresh(page, "The door was open.\n");
  await open(page, `scene=${name}`);
  await add(page, "She went in.");
  const { digest } = (await (await page.request.get(`/v1/projects/main/manuscript/scenes/${name}`)).json()) as { digest: string };
  await page.request.put(`/v1/projects/main/manuscript/scenes/${name}`, { data: { text: "The door was shut.\n", digest } });
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("alert")).toContainText("Somebody else has changed this");
  expect(await textOf(page, name)).toBe("The door was shut.\n");
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("Somebody else has changed this");
  await expect(writing(page)).toContainText("She went in.");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await expect(standing(page)).toHaveText("saved");
  expect(await textOf(page, name)).toBe("The door was open.\nShe went in.");
});

test("a page of the story bible is written, a new scene is begun, and a phone has room for both", async ({ page }) => {
  await open(page, "page=theme");
  await expect(page.getByRole("region", { name: "Theme" })).toBeVisible();
  await add(page, "Nobody is owed the truth.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(standing(page)).toHaveText("saved");
  await page.getByLabel("A new scene").fill("ch08-sc01");
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(page.getByRole("region", { name: "ch08-sc01" })).toBeVisible();
  await add(page, "The boat was gone.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("link", { name: "ch08-sc01" })).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await expect(writing(page)).toContainText("The boat was gone.");
  await fits(page);
  await isAccessibleInBothThemes(page);
});
