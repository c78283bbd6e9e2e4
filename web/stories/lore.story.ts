import { expect, type Locator, type Page } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";

const STRANGER = { "other/app": { list: [1, 2.5, null] } };
const entry = (name: string, content: string, order: number) => ({ name, keys: [name.toLowerCase()], content, enabled: true, insertion_order: order, extensions: STRANGER });

/** A card of another program with a book of two entries, brought in under a name of its own. */
async function bring(page: Page): Promise<string> {
  const name = `Mina ${Date.now()}${Math.floor(Math.random() * 1000)}`;
  const text = { description: "Keeps the lighthouse.", personality: "", scenario: "", first_mes: "You are late.", mes_example: "" };
  const entries = [entry("Lighthouse", "It burned in 1903.", 1), entry("Harbour", "It froze.", 2)];
  const data = { name, ...text, character_book: { name: "The coast", extensions: STRANGER, entries } };
  const sent = await page.request.post("/v1/characters?file=mina.json", { data: Buffer.from(JSON.stringify({ spec: "chara_card_v2", spec_version: "2.0", data })), headers: { "Content-Type": "application/octet-stream" } });
  return ((await sent.json()) as { name: string }).name;
}

const rows = (page: Page): Locator => page.getByRole("form", { name: "The entries of the lorebook" }).getByRole("listitem");
const row = (page: Page, name: string): Locator => rows(page).filter({ has: page.locator("b", { hasText: name }) });
const open = (page: Page, name: string) => row(page, name).locator("summary").first().click();

test("an entry is changed, another added with a pattern, and a line says which of them wake as they are typed", MAIN, async ({ page }) => {
  const name = await bring(page);
  await page.goto(`/characters/${name}`);
  await expect(page.getByRole("heading", { name: "Lorebook: The coast" })).toBeVisible();
  await page.getByLabel("A line to try").fill("The lighthouse, and the bells!");
  await expect(page.getByText("It wakes 1 entry.")).toBeVisible();
  await open(page, "Lighthouse");
  await row(page, "Lighthouse").getByLabel("What is told").fill("It burned in 1904.");
  await page.getByRole("button", { name: "New entry" }).click();
  const made = rows(page).last();
  await made.getByLabel("Title").fill("The bell");
  await made.getByLabel(/^Keys/).fill("/(bells?/i");
  await made.getByLabel("What is told").fill("It is cracked.");
  await expect(made.getByRole("alert").filter({ hasText: "a group is never closed" })).toBeVisible();
  await page.getByRole("button", { name: "Save the lorebook" }).click();
  await expect(page.getByText(/Entry 3, keys: the pattern/)).toBeVisible();
  await isAccessibleInBothThemes(page);
  await made.getByLabel(/^Keys/).fill("/bells?/i");
  await expect(page.getByText("It wakes 2 entries.")).toBeVisible();
  await expect(made.getByText("is told", { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByText("This is what you typed before")).toBeVisible();
  await open(page, "Lighthouse");
  await expect(row(page, "Lighthouse").getByLabel("What is told")).toHaveValue("It burned in 1904.");
  await page.getByLabel("A line to try").fill("Do you hear the bells of the lighthouse?");
  await expect(page.getByText("It wakes 2 entries.")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "lorebook", page.getByRole("heading", { name: /^Lorebook/ }));
  await row(page, "Lighthouse").getByLabel("What is told").press("Control+s");
  await expect(page.getByText(/Saved in characters\/.*: 1 changed, 1 new, 0 deleted/)).toBeVisible();
  const book = (await (await page.request.get(`/v1/characters/${name}/lorebook`)).json()) as { entries: { content: string }[] };
  expect(book.entries.map(({ content }) => content)).toEqual(["It burned in 1904.", "It froze.", "It is cracked."]);
  await page.setViewportSize({ width: 360, height: 740 });
  await row(page, "Lighthouse").getByText("More: when it wakes").click();
  await fits(page);
  await isAccessibleInBothThemes(page);
});

test("an entry is deleted, brought back, moved and turned off, and nothing is lost that another window saved", async ({ page, context }) => {
  const name = await bring(page);
  await page.goto(`/characters/${name}`);
  await open(page, "Harbour");
  await page.getByRole("button", { name: "Move Harbour up" }).press("Enter");
  await expect(rows(page).first()).toContainText("Harbour");
  await row(page, "Harbour").getByLabel("In use").uncheck();
  await row(page, "Harbour").getByRole("button", { name: "Delete this entry" }).click();
  await page.getByRole("button", { name: "Bring it back" }).click();
  const other = await context.newPage();
  await other.goto(`/characters/${name}`);
  await open(other, "Lighthouse");
  await row(other, "Lighthouse").getByLabel("What is told").fill("It never burned.");
  await other.getByRole("button", { name: "Save the lorebook" }).click();
  await expect(other.getByText(/Saved in/)).toBeVisible();
  await page.getByRole("button", { name: "Save the lorebook" }).click();
  await expect(page.getByText("Somebody else has changed this lorebook")).toBeVisible();
  await page.getByRole("button", { name: "Put my changes into it" }).click();
  await page.getByRole("button", { name: "Save the lorebook" }).click();
  await expect(page.getByText(/Saved in .* 1 changed, 0 new, 0 deleted/)).toBeVisible();
  const book = (await (await page.request.get(`/v1/characters/${name}/lorebook`)).json()) as { entries: { content: string; enabled: boolean }[] };
  expect(book.entries.map(({ content, enabled }) => [content, enabled])).toEqual([["It froze.", false], ["It never burned.", true]]);
});

test("a character that has none gets a lorebook, and what a model will be told is read anew", async ({ page }) => {
  await page.goto("/characters/bob");
  await expect(page.getByText("It will be kept in characters/bob.json.")).toBeVisible();
  await page.getByRole("button", { name: "New entry" }).click();
  await page.getByLabel("Title").fill("The semaphore");
  await page.getByLabel(/^Keys/).fill("heliograph");
  await page.getByLabel("What is told").fill("It is out of use.");
  const told = page.waitForResponse(/\/v1\/scenes\/check$/);
  await page.getByRole("button", { name: "Save the lorebook" }).click();
  await expect(page.getByText(/Saved in characters\/bob.json: 0 changed, 1 new/)).toBeVisible();
  expect((await told).ok()).toBe(true);
});

test("a book of the project has a page of its own", async ({ page }) => {
  await page.goto("/characters");
  await page.getByRole("link", { name: "the-coast" }).click();
  await expect(page.getByRole("heading", { name: "Lorebook: the-coast" })).toBeVisible();
  await open(page, "semaphore");
  await page.getByLabel("What is told").fill(`It moved on ${Date.now()}.`);
  await page.getByRole("button", { name: "Save the lorebook" }).click();
  await expect(page.getByText(/Saved in lorebooks\/the-coast.json: 1 changed/)).toBeVisible();
  await isAccessibleInBothThemes(page);
});

test("a new lorebook is begun below the characters, named and filled; a name that is taken is refused", async ({ page }) => {
  const file = `haven-${Date.now()}`;
  await page.goto("/characters");
  await page.getByText("A new lorebook", { exact: true }).click();
  await page.getByLabel("Its name").fill("The coast!");
  await expect(page.getByLabel("The name of its file")).toHaveValue("the-coast");
  await page.getByRole("button", { name: "Begin it" }).click();
  await expect(page.getByText("There is a lorebook 'the-coast' already.")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.getByLabel("The name of its file").fill(file);
  await page.getByRole("button", { name: "Begin it" }).click();
  await expect(page).toHaveURL(new RegExp(`/lorebooks/${file}$`));
  await page.getByLabel("Name of the book").fill("Low Haven");
  await page.reload();
  await expect(page.getByLabel("Name of the book")).toHaveValue("Low Haven");
  await page.getByRole("button", { name: "New entry" }).click();
  await page.getByLabel("Title").fill("The ferry");
  await page.getByLabel(/^Keys/).fill("ferry");
  await page.getByLabel("What is told").fill("It runs until nine.");
  await page.getByRole("button", { name: "Save the lorebook" }).click();
  await expect(page.getByText(`The book is now called Low Haven. Saved in lorebooks/${file}.json: 0 changed, 1 new`)).toBeVisible();
  await expect(page.getByRole("heading", { name: "Lorebook: Low Haven" })).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.goto("/characters");
  await expect(page.getByRole("listitem").filter({ has: page.locator(`a[href="/lorebooks/${file}"]`) })).toContainText("Low Haven 1 entry");
});

test("a portrait is changed and taken back; a picture that is none is refused in a sentence", async ({ page }) => {
  const name = await bring(page);
  await page.goto(`/characters/${name}`);
  const size = () => page.getByRole("img", { name: /^Portrait of/ }).evaluate((image: HTMLImageElement) => `${image.naturalWidth} ${image.naturalHeight}`);
  await expect.poll(size).toBe("256 384");
  await page.getByLabel("Change the portrait…").setInputFiles({ name: "lie.png", mimeType: "image/png", buffer: Buffer.from("GIF89a") });
  await expect(page.getByRole("alert")).toContainText("it is not a PNG picture");
  const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==", "base64");
  const dropped = await page.evaluateHandle((bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], "face.png", { type: "image/png" }));
    return transfer;
  }, [...dot]);
  await page.getByRole("img", { name: /^Portrait of/ }).dispatchEvent("drop", { dataTransfer: dropped });
  await expect.poll(size).toBe("1 1");
  await page.getByRole("button", { name: "Take the old one back" }).click();
  await expect.poll(size).toBe("256 384");
});

test("a character is renamed and back, deleted and brought back; one that a scene names is neither", MAIN, async ({ page }) => {
  const name = await bring(page);
  await page.goto(`/characters/${name}`);
  await page.getByText("Files, name, delete").click();
  await expect(page.getByText(`characters/${name}.json`).last()).toBeVisible();
  await page.getByLabel(/^Name of the files/).fill(`${name}-b`);
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page).toHaveURL(new RegExp(`/characters/${name}-b`));
  await page.getByRole("button", { name: "Undo" }).first().click();
  await expect(page).toHaveURL(new RegExp(`/characters/${name}$`));
  await page.getByText("Files, name, delete").click();
  await isAccessibleInBothThemes(page);
  await page.getByRole("button", { name: "Delete the character" }).click();
  await expect(page.getByText(`${name} was deleted. The files wait in data/deleted/`)).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.getByRole("status").getByRole("button", { name: "Bring back" }).click();
  await expect(page.getByText(`${name} is back.`)).toBeVisible();
  await expect(page.locator(`a[href="/characters/${name}"]`)).toBeVisible();
  await page.goto("/characters/alice");
  await page.getByText("Files, name, delete").click();
  await expect(page.getByText("It can be neither renamed nor deleted")).toBeVisible();
  await expect(page.getByRole("link", { name: "the-apology" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete the character" })).toHaveCount(0);
});
