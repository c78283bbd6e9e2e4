import { expect } from "@playwright/test";
import { fits, isAccessibleInBothThemes, MAIN, picture, test } from "./aids";

const LORE = { keys: ["lighthouse"], content: "It burned in 1903.", enabled: true, insertion_order: 1, extensions: {} };

function card(name: string) {
  const text = { personality: "Dry.", scenario: "", first_mes: "You are late.", mes_example: "" };
  const book = { name: "The coast", extensions: {}, entries: [LORE] };
  const data = { name, description: "Keeps the lighthouse.", ...text, character_book: book };
  return Buffer.from(JSON.stringify({ spec: "chara_card_v2", spec_version: "2.0", data }));
}

test("a card is brought in, read, tried for lore, and put in a scene", MAIN, async ({ page }) => {
  const name = `Mina ${Date.now()} <img src=x onerror=alert(1)>`;
  await page.goto("/characters");
  const chosen = { name: "mina.json", mimeType: "application/json", buffer: card(name) };
  await page.getByLabel("Bring cards…").setInputFiles([chosen, { ...chosen, name: "junk.png", buffer: Buffer.from("junk") }]);
  await expect(page.getByRole("alert")).toContainText("junk");
  await expect(page.getByText(name).first()).toBeVisible();
  await isAccessibleInBothThemes(page);
  await picture(page, "characters");
  await page.getByRole("link", { name: /is here as/ }).click();
  await expect(page.getByLabel("The card, in Markdown")).toHaveValue(/Keeps the lighthouse/);
  await page.getByLabel("A line to try").fill("Can you see the lighthouse?");
  await expect(page.getByText("is told", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Put them in a scene" }).click();
  await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(1);
});

test("a card is edited with what a model will be told beside it, and not over somebody else's change", async ({ page, context }) => {
  await page.goto("/characters/charlie");
  const text = page.getByLabel("The card, in Markdown");
  await expect(text).toHaveValue(/Charlie/);
  const other = await context.newPage();
  await other.goto("/characters/charlie");
  await expect(other.getByLabel("The card, in Markdown")).toHaveValue(/Charlie/);
  await text.fill(`${await text.inputValue()}\n- Keeps a spare pencil behind one ear\n`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await page.locator("summary", { hasText: "Charlie" }).click();
  await expect(page.getByRole("region", { name: "What Charlie will be told" })).toContainText("spare pencil");
  await isAccessibleInBothThemes(page);
  await picture(page, "character");
  const theirs = other.getByLabel("The card, in Markdown");
  await theirs.fill(`${await theirs.inputValue()}\n- Hums\n`);
  await other.getByRole("button", { name: "Save", exact: true }).click();
  await expect(other.getByRole("alert")).toContainText("changed since you opened it");
  await other.getByRole("button", { name: "Open the file as it is now" }).click();
  await expect(theirs).toHaveValue(/spare pencil/);
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test("several cards are dropped on the page at once, and each says what became of it", async ({ page }) => {
  await page.goto("/characters");
  await expect(page.getByRole("heading", { name: "Characters" })).toBeVisible();
  const texts = ["Ada", "Bo"].map((name) => card(`${name} ${Date.now()}`).toString());
  const dropped = await page.evaluateHandle((cards) => {
    const transfer = new DataTransfer();
    cards.forEach((text, at) => transfer.items.add(new File([text], `card-${at}.json`)));
    return transfer;
  }, texts);
  await page.locator(".page").dispatchEvent("drop", { dataTransfer: dropped });
  await expect(page.getByRole("link", { name: /is here as/ })).toHaveCount(2);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a bond is drawn over the scenes that changed it, with its table and the way to each", async ({ page }) => {
  const after = (at: number) => ({ scene: `evening ${at}`, run: String(at).padStart(18, "0"), trust: at / 10, affection: -at / 10, tension: 0.5 });
  const bond = { toward: "bob", trust: 0.3, affection: -0.3, tension: 0.5, words: "trusts Bob a little", history: [], scenes: [1, 2, 3].map(after) };
  await page.route(/\/v1\/characters\/alice$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), bonds: [bond] } });
  });
  await page.goto("/characters/alice");
  await expect(page.getByText("With bob, scene by scene")).toBeVisible();
  await page.locator("figure summary").click();
  await expect(page.locator("figure tbody tr")).toHaveCount(3);
  await expect(page.getByRole("link", { name: "evening 2" })).toHaveAttribute("href", `/scenes/${"2".padStart(18, "0")}`);
  await isAccessibleInBothThemes(page);
});

test("a character is talked to from its page, and the conversation is found again there", MAIN, async ({ page }) => {
  await page.goto("/characters/alice");
  await page.getByRole("button", { name: "Talk to Alice" }).click();
  await expect(page).toHaveURL(/\/characters\/alice\/talk\/\w+$/);
  await expect(page.getByRole("heading", { name: "A talk with Alice" })).toBeVisible();
  await page.getByLabel("Say something").fill("Why did you leave the party?");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Why did you leave the party?")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(2);
  await isAccessibleInBothThemes(page);
  await picture(page, "talk");
  await page.reload();
  await expect(page.getByText("Why did you leave the party?")).toBeVisible();
  await page.getByRole("button", { name: "The character's page" }).click();
  await page.locator("section", { hasText: "Your conversations" }).getByRole("link").first().click();
  await expect(page.getByText("Why did you leave the party?")).toBeVisible();
});

test("a token of another project is said to be one, and the talk begins without it", async ({ page }) => {
  await page.addInitScript(() => localStorage.getItem("tried") ?? localStorage.setItem("dramaturg.player", "p.of-another-project"));
  await page.goto("/characters/bob");
  await page.getByRole("button", { name: "Talk to Bob" }).click();
  await expect(page.getByRole("alert")).toContainText("no longer valid");
  await page.evaluate(() => localStorage.setItem("tried", "yes"));
  await page.getByRole("button", { name: "Start as a new player" }).click();
  await expect(page.getByRole("heading", { name: "A talk with Bob" })).toBeVisible();
});
