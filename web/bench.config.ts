/** Measuring instead of trying: one browser, one server, one thing at a time. */
import { defineConfig } from "@playwright/test";
import stories from "./playwright.config.ts";

const servers = stories.webServer;

export default defineConfig({
  ...stories,
  testDir: "bench",
  testMatch: "*.bench.ts",
  workers: 1,
  retries: 0,
  webServer: Array.isArray(servers) ? servers.slice(0, 1) : [],
});
