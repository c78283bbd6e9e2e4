import { expect } from "@playwright/test";
import { GUARDED, isAccessibleInBothThemes, NOVEL, picture, test, TOKEN } from "./aids";

test.use({ baseURL: GUARDED });

const BOOK = "/v1/projects/main";
const PAGES = ["protagonist", "beat_sheet", "theme", "world_rules"];

test("the writer talks to the Foreman before a closed gate, completes what is missing, and goes through it", async ({ page }) => {
  await page.goto("/workshop");
  await page.getByLabel("The server's token").fill(TOKEN);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByText("closed", { exact: true })).toBeVisible();
  await page.getByLabel("What you say").fill("May we go on to the voice?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.locator("article .message").last()).toContainText(/Foreman .{20}/s);
  await page.getByRole("button", { name: /^Go on to/ }).click();
  await expect(page.getByRole("alert")).toContainText(/Beat Sheet|beat/);
  await isAccessibleInBothThemes(page);
  await picture(page, "gate");
  for (const name of PAGES) {
    const complete = (await (await page.request.get(`${NOVEL}${BOOK}/bible/${name}`)).json()) as { text: string };
    const said = await page.evaluate(
      async ([address, text]) => {
        const { digest } = (await (await fetch(address)).json()) as { digest?: string };
        const body = JSON.stringify({ text, ...(digest ? { digest } : {}) });
        const put = await fetch(address, { method: "PUT", headers: { "Content-Type": "application/json" }, body });
        return put.ok ? "" : put.text();
      },
      [`${BOOK}/bible/${name}`, complete.text] as const,
    );
    expect(said, name).toBe("");
  }
  await page.reload();
  await expect(page.getByText("open", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: /^Go on to/ }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: /Mode/ })).toContainText("voice calibration");
  await page.reload();
  await expect(page.getByRole("heading", { name: /Mode/ })).toContainText("voice calibration");
  await expect(page.locator("article .message").last()).toContainText(/Foreman .{20}/s);
});
