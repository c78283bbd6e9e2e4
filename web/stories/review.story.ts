import { execFileSync } from "node:child_process";
import { expect, type Page } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, NOVEL, picture, test } from "./aids";

test.use({ baseURL: NOVEL });

const BASE = `${NOVEL}/v1/projects/main/manuscript`;
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
type Pairs = readonly (readonly [string, string])[];

/** The book as an editor sends it back: words replaced with tracking on, and remarks. */
async function edited(page: Page, chapters: string, changes: Pairs, remarks: Pairs = []) {
  const sent = await page.request.get(`${BASE}/exports/docx?chapters=${chapters}`);
  const words = ["-m", "tests.web.edited", JSON.stringify(changes), JSON.stringify(remarks)];
  const buffer = execFileSync(process.env.STORY_PYTHON ?? "python3", words, { cwd: "..", input: await sent.body(), maxBuffer: 10_000_000 });
  return { name: "from-mara.docx", mimeType: WORD, buffer };
}

const scene = async (page: Page, name: string) => (await (await page.request.get(`${BASE}/scenes/${name}`)).json()) as { text: string; digest: string };
const change = (page: Page, number: number) => page.getByRole("group", { name: `Change ${number}`, exact: true });

test("an edited document comes back: each change is accepted or left, the book has what was accepted, and it is undone", MAIN, async ({ page }) => {
  const changes: Pairs = [["Fewer people", "Fewer eyes"], ["a good key", "a bad key"], ["a heel of bread", "a crust"]];
  const file = await edited(page, "2", changes, [["newly filed", "How does she know?"]]);
  const before = (await scene(page, "ch02-sc03")).text;
  await page.goto("/workshop/review");
  await page.getByLabel(/A Word document/).setInputFiles(file);
  await expect(page.locator("ins")).toHaveCount(3);
  await expect(page.getByText("How does she know?")).toBeVisible();
  await change(page, 1).getByRole("button", { name: "Accept" }).click();
  await expect(change(page, 2).getByRole("button", { name: "Accept" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter"); // it is left
  await expect(page.getByText("1 not decided")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "review");
  await page.reload();
  await expect(change(page, 1).getByRole("button", { name: "Accept" })).toHaveAttribute("aria-pressed", "true");
  await expect(change(page, 2).getByRole("button", { name: "Leave" })).toHaveAttribute("aria-pressed", "true");
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
  await page.getByRole("button", { name: "Make 1 change" }).click();
  await expect(page.getByText("Changed in the book: manuscript/ch02-sc03.md.")).toBeVisible();
  await expect(page.getByText("in the book", { exact: true })).toHaveCount(1);
  expect((await scene(page, "ch02-sc03")).text).toBe(before.replace("Fewer people", "Fewer eyes"));
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("in the book", { exact: true })).toHaveCount(0);
  expect((await scene(page, "ch02-sc03")).text).toBe(before);
});

test("a scene that was written on meanwhile keeps its new words; a change to what is gone waits, and says why", async ({ page }) => {
  const file = await edited(page, "3", [["with a new pen", "with an old pen"], ["because of her age", "because of her name"]]);
  await page.goto("/workshop/review");
  await page.getByLabel(/A Word document/).setInputFiles(file);
  await page.getByRole("button", { name: "Accept the other 2" }).click();
  const { text, digest } = await scene(page, "ch03-sc01");
  const moved = text.replace("Oda Lund had been let through to the front, because of her age, and had put her shawl down on the counter.", "Nobody was let through.");
  expect(moved).not.toBe(text);
  expect((await page.request.put(`${BASE}/scenes/ch03-sc01`, { data: { text: moved, digest } })).ok()).toBe(true);
  await page.getByRole("button", { name: "Make 2 changes" }).click();
  await expect(page.getByRole("alert")).toContainText("Patch 2 waits");
  expect((await scene(page, "ch03-sc01")).text).toBe(moved);
  await expect(page.getByText("its words are gone")).toBeVisible();
  await expect(page.getByText(/^It waits: /)).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.getByRole("button", { name: "Make 1 change" }).click();
  await expect(page.getByText("Changed in the book: manuscript/ch03-sc01.md.")).toBeVisible();
  expect((await scene(page, "ch03-sc01")).text).toBe(moved.replace("with a new pen", "with an old pen"));
});

test("a document of this book that is dropped on the import page is read as an edited one; another document is refused there with a reason", async ({ page }) => {
  const file = await edited(page, "1", [["the", "a"]]);
  await page.goto("/workshop/import");
  await page.getByLabel(/A manuscript/).setInputFiles(file);
  await expect(page).toHaveURL(/\/workshop\/review$/);
  await expect(page.locator("ins").first()).toBeVisible();
  await page.getByLabel(/A Word document/).setInputFiles({ name: "junk.docx", mimeType: WORD, buffer: Buffer.from("junk") });
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.locator("ins")).toHaveCount(0);
});

test("the manuscript is saved in each format, in part, and for an editor; a chapter that is not there is named", async ({ page }) => {
  await page.goto("/workshop/import");
  const save = async (form: string) => {
    await page.getByLabel("Format").selectOption(form);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the file" }).click()]);
    const stream = await saved.createReadStream();
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    return { name: saved.suggestedFilename(), data: Buffer.concat(parts) };
  };
  const whole = await save("txt");
  expect([whole.name, whole.data.includes("You've come about the ship")]).toEqual(["manuscript.txt", true]);
  await page.getByLabel(/^Chapters/).fill("1");
  await page.getByLabel("Title").fill("A Fair Weight");
  const part = await save("md");
  expect([part.data.includes("A Fair Weight"), part.data.includes("You've come about the ship")]).toEqual([true, false]);
  expect((await save("epub")).data.subarray(0, 2).toString()).toBe("PK");
  await expect(page.getByLabel(/Have Word record/)).toHaveCount(0);
  await page.getByLabel("Format").selectOption("docx");
  await page.getByLabel(/Have Word record/).check();
  await page.getByLabel(/With conflicts and findings/).check();
  const asked = page.waitForRequest(/exports\/docx\?/);
  expect((await save("docx")).name).toBe("manuscript.docx");
  expect(new URL((await asked).url()).searchParams.toString()).toBe("title=A+Fair+Weight&chapters=1&track=true&remarks=true");
  await isAccessibleInBothThemes(page);
  await picture(page, "exports");
  await page.getByLabel(/^Chapters/).fill("no such chapter");
  await page.getByRole("button", { name: "Save the file" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test.describe("in German", () => {
  test.use({ locale: "de-AT" });
  test("what the page itself has to say of a lost server is said in the reader's language", async ({ page }) => {
    await page.goto("/workshop/import");
    await expect(page.getByRole("button", { name: "Datei speichern" })).toBeVisible();
    await page.route("**/v1/projects**", (route) => route.abort());
    await page.getByRole("button", { name: "Datei speichern" }).click();
    await expect(page.getByRole("alert")).toContainText("Der Server ist nicht erreichbar. Läuft er noch?");
    await page.unroute("**/v1/projects**");
    await page.route("**/v1/projects**", (route) => route.fulfill({ status: 502, body: "<html>" }));
    await page.getByRole("button", { name: "Datei speichern" }).click();
    await expect(page.getByRole("alert")).toContainText("Der Server hat mit 502 geantwortet");
  });
});
