import { expect } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, NOVEL, picture, test } from "./aids";

test.use({ baseURL: NOVEL });

const MANUSCRIPT = `# Part Two

“The ferry is late,” said Maud. “It is always late,” said Maud again.

***

The rain began before noon.

# Part Three

Nobody came up the path.
`;

test("a scene is drafted in variants, and a hybrid of their paragraphs becomes the scene", MAIN, async ({ page }) => {
  await page.goto("/workshop/drafts?scene=ch04-sc01");
  await page.getByLabel("Words", { exact: true }).fill("200");
  await expect(page.getByText(/3 to 6 questions to rehearsal/)).toBeVisible();
  await page.getByRole("button", { name: "Write the variants" }).click();
  await expect(page.getByRole("button", { name: "Choose C" })).toBeEnabled();
  await page.getByLabel("A1", { exact: false }).first().check();
  await page.getByLabel("A2", { exact: false }).first().check();
  await page.getByLabel("B3", { exact: false }).first().check();
  await expect(page.getByText("seam: A2 meets B3")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "drafts");
  await page.getByRole("button", { name: "A2 earlier" }).click();
  await expect(page.getByText("seam: A2 meets A1")).toBeVisible();
  await page.getByRole("button", { name: "Make it the scene" }).click();
  await page.getByRole("status").getByRole("link", { name: "The book" }).click();
  await expect(page).toHaveURL(/scene=ch04-sc01/);
  await expect(page.locator(".cm-content")).toBeVisible();
  await page.goto("/workshop/drafts");
  await page.getByRole("button", { name: "Choose B" }).click();
  await expect(page.getByRole("status").getByRole("link", { name: "Patches" })).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("the board shows scenes by chapter with their beats and promises, and a promise is noted in the ledger", async ({ page }) => {
  await page.goto("/workshop/board");
  const mark = page.getByRole("article").filter({ hasText: "The Mark" });
  await expect(mark).toContainText("Midpoint");
  await expect(page.getByRole("article").filter({ hasText: "ch02-sc01" })).toContainText("plants the blue envelope");
  await mark.getByText("The plan").click();
  await expect(mark).toContainText("Dagny shows Sayle her sums");
  await isAccessibleInBothThemes(page);
  await picture(page, "board");
  await page.getByLabel("Promise", { exact: true }).fill("the_barley");
  await page.getByLabel(/^In the scene/).selectOption("ch02-sc02");
  await page.getByLabel(/Its words in the scene/).fill("words that stand nowhere");
  await page.getByRole("button", { name: "Note it" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("a thread leads from a fact to what rests on it, and its change is proposed as patches", async ({ page }) => {
  await page.goto("/workshop/thread");
  await page.getByLabel(/A fact/).fill("Dagny");
  await page.getByRole("button", { name: "Pull the thread" }).click();
  await page.getByRole("link", { name: /fatal flaw/ }).click();
  await expect(page.getByRole("heading", { name: "The words it was read from" })).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "thread");
  await page.getByLabel("What it shall be instead").fill("She believes her hands before what a person says.");
  await page.getByLabel(/Ask a model/).uncheck();
  await page.getByRole("button", { name: "Propose the change" }).click();
  await page.getByRole("status").getByRole("link", { name: "Patches" }).click();
  await expect(page.locator("ins").first()).toBeVisible();
  await page.goto("/workshop/thread?fact=no%20such%20thing%20anywhere");
  await expect(page.getByText("Loading…")).toHaveCount(0);
  await isAccessibleInBothThemes(page);
});

test("versions of a scene are compared and restored, and what was done is undone from a list", async ({ page }) => {
  const address = `${NOVEL}/v1/projects/main/manuscript/scenes/ch01-sc02`;
  const now = async () => (await (await page.request.get(address)).json()) as { text: string; digest: string };
  const { text: first } = await now();
  for (const words of ["The bell rang once more.", "Nobody heard it."]) {
    const { text, digest } = await now();
    expect((await page.request.put(address, { data: { text: `${text}\n${words}\n`, digest } })).ok()).toBe(true);
  }
  await page.goto("/workshop/versions?scene=ch01-sc02");
  await page.getByRole("button", { name: "Compare with now" }).last().click();
  await expect(page.locator("ins")).toContainText("The bell rang once more.");
  await isAccessibleInBothThemes(page);
  await picture(page, "versions");
  await page.getByRole("button", { name: /^Undo: .*ch01-sc02/ }).first().click();
  await expect.poll(async () => (await now()).text).not.toContain("Nobody heard it.");
  await page.getByRole("button", { name: "Restore" }).last().click();
  await expect.poll(async () => (await now()).text).toBe(first);
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("a manuscript is imported by a plan that is shown and corrected before anything is written", async ({ page }) => {
  await page.goto("/workshop/import");
  await page.getByLabel(/A manuscript/).setInputFiles({ name: "part-two.md", mimeType: "text/markdown", buffer: Buffer.from(MANUSCRIPT) });
  await expect(page.getByText("yours stays").first()).toBeVisible();
  await expect(page.getByLabel("Cut 2", { exact: true })).toHaveValue("scene");
  await isAccessibleInBothThemes(page);
  await picture(page, "import");
  await page.getByLabel("Cut 2", { exact: true }).selectOption("keep");
  const plan = page.getByRole("region", { name: "What would be written" });
  await expect(plan.getByRole("listitem")).toHaveCount(2);
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
  await page.getByLabel(/A manuscript/).setInputFiles({ name: "junk.docx", mimeType: "application/zip", buffer: Buffer.from("junk") });
  await expect(page.getByRole("alert")).toBeVisible();
});

test("the graph shows what is told up to a scene, as the story goes on", async ({ page }) => {
  await page.goto("/workshop/graph");
  await page.getByRole("button", { name: /^Pell/ }).click();
  const facts = page.getByRole("complementary").getByRole("link", { name: "what rests on it" });
  await expect(facts.first()).toBeVisible();
  const all = await facts.count();
  await page.getByRole("slider").fill("1");
  await expect(page.getByText("Sixteen Pounds").first()).toBeVisible();
  await expect.poll(() => facts.count()).toBeLessThan(all);
  await isAccessibleInBothThemes(page);
  await picture(page, "graph");
});

test("voices are chosen blind in pairs, and the labels open at the end", async ({ page }) => {
  const book = `${NOVEL}/v1/projects/main`;
  const started = await page.request.post(`${book}/works/tournament`, { data: { request: { test_prompt: "She counts the crates.", strategies: ["ACTION", "DIALOGUE"], words: 100 } } });
  const { run } = (await started.json()) as { run: string };
  await expect.poll(async () => ((await (await page.request.get(`${book}/works/${run}`)).json()) as { status: string }).status).toBe("ended");
  await page.goto("/workshop/lineup");
  await page.getByRole("button", { name: "Draw it in pairs" }).click();
  await expect(page.getByRole("heading", { name: /^Pair 1 of/ })).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "lineup");
  const left = page.getByRole("button", { name: "The left one" });
  const done = page.getByText("You have chosen in every pair");
  while (!(await done.isVisible())) {
    const title = await page.getByRole("heading", { name: /^Pair/ }).textContent();
    await left.click();
    await expect(done.or(page.getByRole("heading", { name: /^Pair/ }).filter({ hasNotText: title ?? "" }))).toBeVisible();
  }
  await page.getByRole("button", { name: "Choose A" }).click();
  await expect(page.getByText(/^You chose/)).toBeVisible();
});
