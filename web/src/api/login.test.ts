import { afterEach, expect, test, vi } from "vitest";
import { get } from "./client";
import { login } from "./login.svelte";

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const REFUSED = { error: { code: "UNAUTHORIZED", message: "The token is missing." } };

/** A server with a token; the cookie is what the browser would hold. */
function guarded(keeps = true) {
  let here = false;
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    if (path === "/v1/login" && init.method === "POST") {
      const right = String(init.body).includes("right");
      here = right && keeps;
      return right ? new Response(null, { status: 204 }) : json({ error: { code: "LOGIN_REFUSED", message: "No." } }, 401);
    }
    if (path === "/v1/login") return json({ needed: true, author: here });
    return here ? json({ runs: [] }) : json(REFUSED, 401);
  });
}

afterEach(() => vi.unstubAllGlobals());

test("what was refused is asked again once the author has logged in", async () => {
  guarded();
  const asked = Promise.all([get("/v1/runs"), get("/v1/scenes")]);
  await vi.waitFor(() => expect(login.asked).toBe(true));
  expect(await login.begin("wrong")).toBe("No.");
  expect(login.asked).toBe(true);
  expect(await login.begin("right")).toBe("");
  expect(await asked).toEqual([{ runs: [] }, { runs: [] }]);
  expect([login.asked, login.here]).toEqual([false, true]);
});

test("a browser without cookies is not let in by a right token", async () => {
  guarded(false);
  expect(await login.begin("right")).toBe("cookies");
});
