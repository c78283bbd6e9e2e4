/** Lighthouse over the pages: one browser, one page at a time. */
import { defineConfig } from "@playwright/test";
import stories from "./playwright.config.ts";

export default defineConfig({ ...stories, testDir: "audit", testMatch: "*.audit.ts", workers: 1, retries: 0, timeout: 2_400_000 });
