import { defineConfig } from "@playwright/test";

const PORT = Number(process.env.STORY_PORT ?? 8417);

/** `story` is an author's own machine, with `--token` one that others could reach; `house` is open to players; `novel` has a book; `ollama_server` is a double of Ollama. */
const server = (port: number, module = "web.story", more = "", health = "/healthz") => ({
  command: `${process.env.STORY_PYTHON ?? "python3"} -m tests.${module} ${port} ${more}`,
  cwd: "..",
  url: `http://127.0.0.1:${port}${health}`,
  timeout: 120_000,
  gracefulShutdown: { signal: "SIGTERM" as const, timeout: 10_000 },
});

export default defineConfig({
  testDir: "stories",
  testMatch: "*.story.ts",
  ...(process.env.STORY_MAIN ? { grep: /@main/ } : {}),
  outputDir: "node_modules/.stories",
  fullyParallel: true,
  workers: 2,
  retries: 1, // a story that passes only the second time is named as flaky
  timeout: 120_000,
  expect: { timeout: 60_000 },
  reporter: [["line"], ["./failures.ts"]],
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    locale: "en-GB",
    launchOptions: {
      ...(process.env.STORY_BROWSER ? { executablePath: process.env.STORY_BROWSER } : {}),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--use-fake-device-for-media-stream", // a microphone that beeps
        "--use-fake-ui-for-media-stream",
        "--autoplay-policy=no-user-gesture-required",
      ],
    },
  },
  webServer: [
    server(PORT),
    server(PORT + 1, "web.house"),
    server(PORT + 3, "web.story", "--token"),
    server(PORT + 5, "web.novel"),
    server(PORT + 6, "local_models.ollama_server", "qwen3:4b", "/api/tags"),
  ],
});
