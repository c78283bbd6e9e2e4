import { expect, type Page } from "@playwright/test";
import { MAIN, test } from "./aids";
import { fits, isAccessible, PHONE, picture } from "./house";

/** Each story at a kiosk of its own, so that none waits for another. */
const kiosk = () => `/ensemble?kiosk=k${Math.random().toString(36).slice(2)}`;

async function ask(page: Page, question: string, speak = true) {
  await page.goto(kiosk());
  await page.getByLabel("Ask the ensemble").fill(question);
  if (!speak) await page.getByLabel("speak", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page).toHaveURL(/\/ensemble\/\w{18}\?kiosk=/);
  await expect(page.getByText("6 answered.")).toBeVisible();
}

const card = (page: Page, slot: number) =>
  page.locator("article", { has: page.getByRole("heading", { name: `Speaker ${slot} ·` }) });

test("six seats answer, comment and reply, and each line can be heard", MAIN, async ({ page }) => {
  await ask(page, "What is courage?");
  await expect(page.locator("article h3")).toHaveCount(6);
  const third = card(page, 3);
  await expect(third.locator("h3")).toHaveText(/^Speaker 3 · \S/);
  await expect(third.getByText(/^commented on: Speaker [12456]/)).toBeVisible();
  await expect(third.getByText("audio ready").first()).toBeVisible();
  await expect(third.getByRole("button", { name: /^T2 → Speaker [12456]/ })).toBeVisible();
  await expect(page.getByText(/received: \d comment/).first()).toBeVisible();
  await third.getByRole("button", { name: /^T1/ }).click();
  await expect(third.locator("audio")).toHaveCount(1);
  await third.getByRole("button", { name: /^T2/ }).click();
  await expect(third.locator("[aria-expanded=true]")).toHaveText(/^T2/);
  await expect(third.locator("[aria-expanded=true]")).toHaveCount(1);
  const sound = await page.request.get((await third.locator("audio").getAttribute("src")) ?? "");
  expect([sound.status(), sound.headers()["content-type"]]).toEqual([200, "audio/wav"]);
  await picture(page, "ensemble-panel", true);
});

test("the stage shows who speaks, word by word, to the end", async ({ page }) => {
  await page.goto(kiosk());
  await page.getByText("Seats, models and voices").click();
  for (const slot of [2, 3, 4, 5, 6]) await page.getByRole("checkbox", { name: new RegExp(`^${slot} ·`) }).uncheck();
  await page.getByLabel("Ask the ensemble").fill("Why?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page.getByText("1 answered.")).toBeVisible();
  await expect(page.locator("article h3")).toHaveCount(1);
  await page.getByRole("link", { name: "Stage view" }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(page.getByText(/^Speaker 1 ·/)).toBeVisible();
  const words = page.locator(".line span");
  const unheard = page.locator(".line .unheard");
  await expect.poll(async () => (await words.count()) - (await unheard.count())).toBeGreaterThan(1);
  expect(await unheard.count()).toBeGreaterThan(0);
  await picture(page, "ensemble-stage");
  await isAccessible(page);
  await expect(page.getByRole("button", { name: "Once more" })).toBeVisible();
});

test("a session is found again by its address, the old one too, and in the list of what was asked", async ({ page }) => {
  await ask(page, "Where does the time go?", false);
  const session = new URL(page.url()).pathname.split("/").at(-1);
  await page.goto(`/ensemble?session=${session}`);
  await expect(page.getByRole("heading", { name: "Where does the time go?" })).toBeVisible();
  await expect(page.getByText("6 answered.")).toBeVisible();
  await page.goto("/ensemble");
  await page.getByRole("link", { name: "Where does the time go?" }).first().click();
  await expect(page).toHaveURL(new RegExp(`/ensemble/${session}$`));
});

test("a seat plays with another voice and profile than the ensemble says", async ({ page }) => {
  await page.goto(kiosk());
  await page.getByText("Seats, models and voices").click();
  const voice = page.getByLabel("Voice of Speaker 2");
  const name = (await voice.locator("option").nth(2).getAttribute("value")) ?? "";
  await voice.selectOption(name);
  await expect(page.getByText("1 changed")).toBeVisible();
  await picture(page, "ensemble-seats");
  await page.reload();
  await expect(page.getByText("1 changed")).toBeVisible();
  await page.getByLabel("Ask the ensemble").fill("And you?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page.getByText("6 answered.")).toBeVisible();
  await card(page, 2).getByRole("button", { name: /^T1/ }).click();
  await expect(card(page, 2).getByText(name)).toBeVisible();
});

test("a voice is heard before it is given to a seat", async ({ page }) => {
  await page.goto(kiosk());
  await page.getByText("Seats, models and voices").click();
  await page.getByLabel("Voice of Speaker 2").selectOption({ index: 3 });
  const name = await page.getByLabel("Voice of Speaker 2").inputValue();
  const [spoken] = await Promise.all([
    page.waitForResponse(/\/v1\/audio\/speech$/),
    page.getByRole("button", { name: "Hear Speaker 2" }).click(),
  ]);
  expect([spoken.status(), (spoken.request().postDataJSON() as { voice: string }).voice]).toEqual([200, name]);
  await expect(page.getByRole("button", { name: "Hear Speaker 2" })).toHaveText("Hear it");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

async function askAloud(page: Page) {
  await page.getByRole("button", { name: "Ask aloud" }).click();
  await expect(page.getByText("Listening. Speak your question.")).toBeVisible();
  await page.getByRole("button", { name: "Stop and ask" }).click();
}

test("a question is asked aloud; where nothing can hear, the reason stands there, and the recording is sent again", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto(kiosk());
  await askAloud(page);
  await expect(page.getByRole("alert")).toContainText("[ears]");
  await fits(page);
  await isAccessible(page);
  const sent: string[] = [];
  await page.route("**/v1/sessions/spoken", (route) => {
    sent.push(route.request().postData() ?? "");
    return route.fulfill({ status: 202, json: { sessionId: "1mkq8zt4c0v7hxw3rn", text: "Why?", language: "en", recording: "x", events: "" } });
  });
  await page.getByLabel("speak", { exact: true }).uncheck();
  await page.getByText("Seats, models and voices").click();
  await page.getByRole("checkbox", { name: /^2 ·/ }).uncheck();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page).toHaveURL(/\/ensemble\/1mkq8zt4c0v7hxw3rn/);
  expect(sent.join()).toContain('name="recording"');
  expect(sent.join()).toContain('name="kiosk"');
  expect(sent.join()).toMatch(/name="speak"\s+false/);
  expect(sent.join()).toContain('[{"slotId":1},{"slotId":3}');
});

for (const scheme of ["light", "dark"] as const) {
  test(`the ensemble's page has no serious fault for people who use aids, in ${scheme}, and fits a phone`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await ask(page, "What is home?", false);
    await card(page, 1).getByRole("button", { name: /^T1/ }).click();
    await page.getByText("Seats, models and voices").click();
    await isAccessible(page);
    await page.setViewportSize(PHONE);
    await fits(page);
    await picture(page, `ensemble-phone-${scheme}`, true);
  });
}

test("the lines of a session are heard as they come, one after the other", async ({ page }) => {
  await page.addInitScript(() => sessionStorage.setItem("dramaturg.hearing", "on"));
  await page.goto(kiosk());
  await page.getByLabel("Ask the ensemble").fill("What is courage?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page.getByText("Heard now: Speaker 1")).toBeVisible();
  await expect(page.getByText("Heard now: Speaker 2")).toBeVisible();
  await isAccessible(page);
  await picture(page, "ensemble-hearing");
  await page.getByRole("button", { name: "Stop listening" }).click();
  await expect(page.getByText(/^Heard now/)).toHaveCount(0);
});
