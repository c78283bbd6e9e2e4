import { expect } from "@playwright/test";
import { MAIN, picture as tour, test } from "./aids";
import { begin, fits, HOST_TOKEN, HOUSE, isAccessible, PHONE, picture, speak } from "./house";

const AS_HOST = { Authorization: `Bearer ${HOST_TOKEN}` };

/** The studio as the host has it: the server's token goes with what the page asks for, and with nothing of players. */
test.beforeEach(async ({ context }) => {
  await context.route(/\/v1\/(host|concerns|episodes|series|characters)/, (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: AS_HOST.Authorization } }),
  );
});

test("the host sees how far players are, what the director knows and who needs care, but not the talk", async ({ page, browser }) => {
  const player = await (await browser.newContext({ viewport: PHONE })).newPage();
  await begin(player, "the-ferryman");
  await speak(player, "Zyzzyva is my word. I want to kill myself.");
  await speak(player, "Who crossed before it was light?");
  await page.goto(`${HOUSE}/episodes`);
  const row = page.getByRole("row", { name: /the-ferryman/ }).first();
  await row.getByRole("button").click();
  const director = page.getByRole("complementary", { name: "The director" });
  await expect(director.getByText(/^Clues: \d of \d/)).toBeVisible();
  await expect(page.getByText("self-harm").first()).toBeVisible();
  await expect(page.getByText("the-flirt-test, closing-time, the-ferryman")).toBeVisible();
  await expect(page.locator("table")).not.toContainText("Zyzzyva");
  await expect(director).not.toContainText("Zyzzyva");
  await isAccessible(page);
  await picture(page, "host", true);
  await page.emulateMedia({ colorScheme: "dark" });
  await isAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await player.context().close();
});

test("the host lets another model play a session on", async ({ page, browser }) => {
  const player = await (await browser.newContext({ viewport: PHONE })).newPage();
  await begin(player, "the-ferryman");
  await speak(player, "Who crossed before it was light?");
  await page.route(/\/v1\/models$/, (route) =>
    route.fulfill({ json: { providers: [{ name: "attic", usable: true, models: [{ name: "attic/other" }] }] } }),
  );
  await page.goto(`${HOUSE}/episodes`);
  await page.getByRole("row", { name: /the-ferryman/ }).first().getByRole("button").click();
  const director = page.getByRole("complementary", { name: "The director" });
  await director.getByText("Played by: the rehearsal company").click();
  const next = director.getByLabel("From the next message on, by");
  await next.selectOption("attic/other");
  await expect(director.getByRole("alert")).toContainText("attic");
  await expect(next).toHaveValue("rehearsal");
  const asked: unknown[] = [];
  await page.route(/\/model$/, (route) => {
    asked.push(route.request().postDataJSON()); // there is only the company to play on
    return route.continue({ headers: { ...route.request().headers(), ...AS_HOST }, postData: JSON.stringify({ model: "rehearsal" }) });
  });
  await next.selectOption("attic/other");
  await expect(director.getByRole("alert")).toHaveCount(0);
  expect(asked).toEqual([{ model: "attic/other" }]);
  await expect(director.getByText("Played by: the rehearsal company")).toBeVisible();
  await isAccessible(page);
  await player.context().close();
});

test("an episode's file is changed only to what can be played, and never over a change of somebody else", async ({ page, request }) => {
  await page.goto(`${HOUSE}/episodes/closing-time`);
  const text = page.getByLabel("episodes/closing-time.yaml");
  await expect(text).toHaveValue(/title: Closing time/);
  const before = await text.inputValue();
  await text.fill(before.replace("character: juno", "charakter: juno"));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("Not saved");
  await expect(page.getByRole("listitem").filter({ hasText: "charakter" })).toContainText("Did you mean 'character'?");
  await isAccessible(page);
  await text.fill(before.replace("The shutters are half down.", "The shutters are down."));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(page.getByRole("complementary")).toContainText("The shutters are down.");
  const path = `${HOUSE}/v1/host/episodes/closing-time`;
  const { digest } = (await (await request.get(path, { headers: AS_HOST })).json()) as { digest: string };
  await request.put(path, { headers: AS_HOST, data: { text: before, digest } });
  await text.fill(before.replace("The same shop", "Another shop"));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("has changed");
  await page.getByRole("button", { name: "Keep my text" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("complementary")).toContainText("Another shop");
});

test("an episode is written in fields and in its file at once, and what is wrong is shown in both", MAIN, async ({ page }) => {
  await page.goto(`${HOUSE}/episodes/the-ferryman`);
  const text = page.getByLabel("episodes/the-ferryman.yaml");
  const form = page.getByRole("form", { name: "The episode in fields" });
  await expect(form.getByLabel("Where it takes place")).toHaveValue("The landing, first light");
  await form.getByLabel("Where it takes place").fill("The quay: first light");
  await expect(text).toHaveValue(/title: "The quay: first light"\n  text: A rope/);
  await expect(page.getByRole("complementary")).toContainText("The quay: first light");
  await text.fill((await text.inputValue()).replace("role: somebody from outside", "role: an envoy"));
  await expect(form.getByLabel("Who the player is")).toHaveValue(/^an envoy/);
  await text.evaluate((area) => area.scrollTo(0, 0));
  await tour(page, "episode");

  const pivot = form.getByRole("group", { name: "Beat 2" });
  await pivot.getByLabel("At the latest in turn").fill("1");
  await expect(pivot).toContainText("before its target turn");
  await page.getByRole("button", { name: /^Line \d+$/ }).click();
  const marked = await text.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
  expect(marked).toContain("beat: pivot");
  await isAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await isAccessible(page);
  await pivot.getByLabel("At the latest in turn").fill("7");
  await expect(page.getByRole("button", { name: /^Line \d+$/ })).toHaveCount(0);

  const whole = await text.inputValue();
  await text.fill("title: [");
  await expect(page.getByText("The fields come back")).toBeVisible();
  await expect(form.getByLabel("Who the player is")).toBeDisabled();
  await text.fill(whole);
  await form.getByRole("button", { name: "Remove this beat" }).last().click();
  await expect(text).not.toHaveValue(/beat: resolution/);
  await form.getByRole("button", { name: "Add a beat" }).click();
  await expect(text).toHaveValue(/beat: resolution/);
  await page.setViewportSize(PHONE);
  await fits(page);
});

test("clues, suspects, choices and flags are written in fields too", MAIN, async ({ page }) => {
  await page.goto(`${HOUSE}/episodes/the-ferryman`);
  const text = page.getByLabel("episodes/the-ferryman.yaml");
  const form = page.getByRole("form", { name: "The episode in fields" });
  await expect(form.getByRole("group", { name: "Clue 2" }).getByLabel("What is found out")).toHaveValue("She carried a parcel to the mill");
  await form.getByRole("group", { name: "Clue 2" }).getByLabel("What is found out").fill("She carried a parcel");
  await expect(text).toHaveValue(/\{id: parcel, text: She carried a parcel, keywords: \["parcel"\]\}/);

  await form.getByRole("button", { name: "Add a suspect" }).click();
  const suspect = form.getByRole("group", { name: "Suspect 1" });
  await suspect.getByLabel("The suspect").fill("Maren");
  await suspect.getByLabel("Proven guilty by the clues").fill("parcel, boat");
  await suspect.getByLabel("Did it").check();
  await expect(form).toContainText("which is no clue of this ledger");
  await suspect.getByLabel("Proven guilty by the clues").fill("parcel");
  await suspect.getByLabel("The suspect").focus();
  await expect(form).not.toContainText("which is no clue of this ledger");

  const pivot = form.getByRole("group", { name: "Beat 2" });
  await pivot.getByRole("button", { name: "Add a choice" }).click();
  await expect(pivot.getByRole("group", { name: "Choice 1" }).locator(".wrong")).toBeVisible();
  await pivot.getByLabel("What is on the button").fill("Accuse her");
  await pivot.getByLabel("Whom it accuses").selectOption("Maren");
  await expect(text).toHaveValue(/choices:\n\s+- id: choice_1\n\s+label: Accuse her\n\s+accuses: Maren/);

  await form.getByRole("button", { name: "Add a flag" }).click();
  await form.getByLabel("Its name", { exact: true }).fill("bold");
  await form.getByLabel("The words, separated by commas").fill("I will stay, take me");
  await form.getByLabel("Its name", { exact: true }).focus();
  await expect(text).toHaveValue(/flags:\n {2}bold:\n {4}keywords: \[ ?I will stay, take me ?\]/);
  await expect(page.getByRole("button", { name: /^Line \d+$/ })).toHaveCount(0);
  await picture(page, "episode-clues", true);
  await isAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
});
