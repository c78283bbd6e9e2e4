import { expect, type Page } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";
import { openToldStage, tell } from "../bench/told";
import type { SceneEntry } from "../src/folds/scene";

const shown = (value: number) => value.toLocaleString("en-GB");

async function playToTheEnd(page: Page) {
  await page.goto("/scenes");
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByText("goal achieved")).toBeVisible();
}

test("a scene is composed: the goal is split as it is typed, and what each is told is shown before it is played", MAIN, async ({ page }) => {
  await page.goto("/compose");
  await page.getByLabel("Name").fill("at-the-door");
  for (const name of ["Alice", "Bob"]) await page.getByRole("checkbox", { name: new RegExp(name) }).check();
  await page.getByLabel("The situation").fill("Bob is late. Alice has waited with the soup.");
  const meaning = page.getByRole("complementary", { name: "What it will mean" });
  await page.getByLabel("What must be reached").fill("Bob says sorry.");
  await expect(meaning.locator("ol li")).toHaveCount(1);
  await page.getByLabel("What must be reached").fill("Bob says sorry. Alice forgives Bob.");
  await expect(meaning.locator("ol li")).toHaveCount(2);
  await expect(meaning.getByText("shown by Bob").first()).toBeVisible();
  await expect(meaning.getByText(/tokens/).first()).toBeVisible();
  await page.getByText("What only Bob knows").click();
  await page.locator("details[open]").getByLabel("Secrets, one on each line").fill("The train was on time.");
  await meaning.locator("summary").filter({ hasText: "Bob" }).click();
  await expect(meaning.getByRole("region", { name: "What Bob will be told" })).toContainText("The train was on time.");
  await isAccessibleInBothThemes(page);
  await picture(page, "compose");
  await page.reload();
  await expect(page.getByLabel("Name")).toHaveValue("at-the-door");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(page).toHaveURL(/\/scenes\/\w+$/);
  await expect(page.getByText("walked through").first()).toBeVisible();
});

test("a scene that cannot be played says why while it is written, and a saved one is in the list", async ({ page }) => {
  await page.goto("/compose?from=the-apology");
  await expect(page.getByLabel("Name")).toHaveValue("the-apology");
  await expect(page.getByText("What it will mean")).toBeVisible();
  await page.getByRole("button", { name: "Save as a new scene" }).click();
  await expect(page.getByRole("alert")).toContainText("exists already");
  const name = `the-later-${Date.now()}`;
  await page.getByLabel("Name").fill(name);
  await expect(page.getByText(`Save as a new scene writes scenes/${name}.yaml`)).toBeVisible();
  await page.getByRole("button", { name: "Save as a new scene" }).click();
  await expect(page.getByText(`Saved as scenes/${name}.yaml`)).toBeVisible();
  await expect(page).toHaveURL(`/compose?from=${name}`);
  const chosen = page.getByRole("group", { name: "The cast" }).getByRole("checkbox", { checked: true });
  while (await chosen.count()) await chosen.first().uncheck();
  await expect(page.getByText(/needs a cast of 2 to 5/)).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

const STAIRS = `# They do not say what they came for.
prompt: >
  Bob is late,
  and Alice has waited.
characters: [alice, bob] # nobody else
maxBeats: 6
goal: Bob says sorry.
events:
  # when it is dark
  - {beat: 2, text: It rains.}
seed: 7
`;

test("the file of a scene is edited: what is typed survives a reload, and nothing is written over a change of somebody else", MAIN, async ({ page, request }) => {
  const number = Date.now();
  const name = `the-stairs-${number}`;
  const file = `/v1/scenes/${name}/file`;
  const read = async () => (await (await request.get(file)).json()) as { text: string; digest: string };
  await request.put(`/v1/scenes/${name}`, { data: { name, prompt: "x", characters: ["alice", "bob"] } });
  const write = async (text: string) => expect((await request.put(file, { data: { text, digest: (await read()).digest } })).status()).toBe(200);
  await write(STAIRS);

  await page.goto("/scenes");
  await page.getByRole("link", { name: new RegExp(`Edit : The Stairs ${number}`) }).click();
  await expect(page.getByText(`scenes/${name}.yaml`)).toBeVisible();
  await expect(page.getByLabel("What must be reached")).toHaveValue("Bob says sorry.");
  await expect(page.getByText("left as it is: seed.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  await page.getByLabel("What must be reached").fill("Bob says why he is late.");
  await page.getByLabel("Beats at most").fill("9");
  await page.getByText("What only Bob knows").click();
  await page.locator("details[open]").getByLabel("Secrets, one on each line").fill("The train was on time.");
  await page.reload();
  await expect(page.getByText("What you typed before is back")).toBeVisible();
  await expect(page.getByLabel("What must be reached")).toHaveValue("Bob says why he is late.");
  expect((await read()).text).toBe(STAIRS);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText(`Saved in scenes/${name}.yaml`)).toBeVisible();
  const edited = STAIRS.replace("maxBeats: 6", "maxBeats: 9").replace("Bob says sorry.", "Bob says why he is late.");
  const whole = edited.replace("seed: 7", "parts:\n  bob:\n    secrets: [The train was on time.]\nseed: 7");
  expect((await read()).text).toBe(whole);

  await page.getByLabel("Where and when").fill("The stairs");
  await write(whole.replace("It rains.", "It snows."));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("What differs there: events.");
  await expect(page.getByRole("button", { name: "Keep what I typed" })).toBeInViewport();
  expect((await read()).text).toBe(whole.replace("It rains.", "It snows."));
  await isAccessibleInBothThemes(page);
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("What differs there: events.");
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  await page.getByRole("button", { name: "Keep what I typed" }).click();
  await expect(page.getByLabel("Where and when")).toHaveValue("The stairs");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText(`Saved in scenes/${name}.yaml`)).toBeVisible();
  expect((await read()).text).toBe(whole.replace("characters:", "setting: The stairs\ncharacters:"));

  await page.getByLabel("The situation").fill("Nobody comes.");
  await write(whole);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Take the file's" }).click();
  await expect(page.getByLabel("The situation")).toHaveValue(/^Bob is late/);
  await expect(page.getByLabel("Where and when")).toHaveValue("");
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("a file that cannot be shown in fields is left alone, with the reason", async ({ page, request }) => {
  const name = `the-tied-${Date.now()}`;
  await request.put(`/v1/scenes/${name}`, { data: { name, prompt: "x", characters: ["alice", "bob"] } });
  const { digest } = (await (await request.get(`/v1/scenes/${name}/file`)).json()) as { digest: string };
  const text = "prompt: They meet.\ncharacters: [alice, bob]\nparts: {alice: &one {note: Late.}, bob: *one}\n";
  await request.put(`/v1/scenes/${name}/file`, { data: { text, digest } });
  await page.goto(`/compose?from=${name}`);
  await expect(page.getByRole("alert")).toContainText("it has anchors");
  await expect(page.getByLabel("Name")).toHaveCount(0);
  await isAccessibleInBothThemes(page);
});

test("a person takes a seat, the author steers meanwhile, and both see the scene", MAIN, async ({ page, context }) => {
  await page.goto("/scenes");
  await page.getByLabel(/^Play a part/).first().selectOption("bob");
  await expect(page).toHaveURL(/\/seat\/bob$/);
  await expect(page.getByRole("heading", { name: "You are Bob" })).toBeVisible();
  await expect(page.getByText("Your turn")).toBeVisible();
  const stage = await context.newPage();
  await stage.goto(page.url().replace("/seat/bob", ""));
  await stage.getByLabel("The words").fill("The lights go out.");
  await stage.getByRole("button", { name: "Send" }).click();
  await expect(stage.getByText("Sent; it happens with the next beat.")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.getByLabel("What you say or do").fill("I forgot the candles, of all things.");
  await picture(page, "seat");
  await page.getByRole("button", { name: "Say it" }).click();
  await expect(page.getByText("I forgot the candles").first()).toBeVisible();
  await expect(stage.getByText("I forgot the candles")).toBeVisible();
  await expect(page.getByText("Your turn")).toBeVisible();
  await page.getByRole("button", { name: "Say nothing" }).click();
  await expect(stage.locator(".happening", { hasText: "The lights go out" })).toBeVisible();
  await expect(page.getByText("The lights go out")).toBeVisible();
  await page.reload();
  await expect(page.getByText("I forgot the candles").first()).toBeVisible();
  await stage.getByRole("button", { name: "Stop" }).click();
  await expect(stage.getByText("stopped")).toBeVisible();
});

test("why a line was said, another take of it, and a fork from its beat", async ({ page }) => {
  await playToTheEnd(page);
  const first = page.url();
  const lines = page.locator("article");
  await lines.nth(3).hover();
  await lines.nth(3).getByRole("button", { name: /About this line/ }).click();
  const panel = page.getByRole("region", { name: "About this line" });
  await expect(panel.getByText(/rehearsal company said this/)).toBeVisible();
  await panel.getByRole("button", { name: "Test the causes" }).click();
  await expect(panel.getByText("How far the line moved without…")).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "why");
  await panel.getByRole("button", { name: "Takes" }).click();
  await panel.getByLabel("Rewrite").fill("I would rather not say.");
  await panel.getByRole("button", { name: "Use these words" }).click();
  await expect(panel.getByText("take 2, yours")).toBeVisible();
  await page.reload();
  await expect(lines.nth(3)).toContainText("I would rather not say.");
  await lines.nth(3).hover();
  await lines.nth(3).getByRole("button", { name: /About this line/ }).click();
  await panel.getByRole("button", { name: "Takes" }).click();
  await panel.getByRole("button", { name: /Let it stand/ }).first().click();
  await expect(panel.getByText("take 1 · stands")).toBeVisible();
  await panel.getByRole("button", { name: "Fork" }).click();
  await panel.getByRole("button", { name: /Fork after beat/ }).click();
  await expect(page).not.toHaveURL(first);
  await expect(page.getByText("goal achieved")).toBeVisible();
});

test("a performance is replayed beat by beat, and the rest of it waits", async ({ page }) => {
  await playToTheEnd(page);
  const all = await page.locator("article").count();
  await page.getByRole("slider", { name: "Beat that is shown" }).fill("2");
  await expect.poll(() => page.locator("article").count()).toBeLessThan(all);
  await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "4×" });
  await page.getByRole("button", { name: "Replay" }).click();
  await expect(page.locator("article")).toHaveCount(all);
  await expect(page.locator("canvas").first()).toBeVisible();
  await expect(page.getByRole("link", { name: "Edit the scene" })).toHaveAttribute("href", "/compose?from=the-apology");
  await picture(page, "stage");
});

test("what the scene costs is shown by character while it plays, and a card that is called director is not the director", MAIN, async ({ page }) => {
  await playToTheEnd(page);
  const stream = await (await page.request.get(page.url().replace("/scenes/", "/v1/runs/") + "/events?audience=author")).text();
  const named = stream.replaceAll('"alice"', '"director"').replaceAll("/alice", "/director");
  const entries = [...named.matchAll(/^data: (.*)$/gm)].map((found, at) => ({ ...(JSON.parse(found[1] ?? "") as SceneEntry), seq: at + 1 }));
  const paid = entries.map((entry) => {
    if (entry.event.type !== "model.answered") return entry;
    const { answer } = entry.event;
    const price = entry.event.key === "beat-1/bob" ? null : 0.5;
    return { ...entry, event: { ...entry.event, answer: { ...answer, usage: { ...answer.usage, input_tokens: 100, output_tokens: 0 }, cost_usd: price } } };
  });
  const calls = (key: string) => paid.filter(({ event }) => event.type === "model.answered" && event.key.endsWith(key)).length;
  await openToldStage(page);
  const cost = page.getByRole("table", { name: "Cost" });
  const second = paid.findIndex(({ event }) => event.type === "model.answered" && event.key === "beat-1/bob");
  await tell(page, paid.slice(0, second));
  await expect(cost.getByRole("row", { name: /^Alice 200 tokens \$1\.00/ })).toBeVisible();
  await expect(cost.getByRole("row", { name: /^The scene's director 100 tokens \$0\.50/ })).toBeVisible();
  await tell(page, paid.slice(second));
  await expect(cost.getByRole("row", { name: new RegExp(`^Alice ${shown(100 * calls("/director"))} tokens`) })).toBeVisible();
  await expect(cost.getByRole("row", { name: /^Bob .* price unknown$/ })).toBeVisible();
  await expect(cost.getByRole("row", { name: /^Together .* price unknown$/ })).toBeVisible();
  await isAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});
