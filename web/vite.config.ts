import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

const server = process.env.DRAMATURG_SERVER ?? "http://127.0.0.1:8321";

export default defineConfig({
  plugins: [svelte()],
  base: "/",
  build: {
    outDir: "../src/dramaturg/server/pages/studio",
    emptyOutDir: true,
    assetsDir: "studio",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "play.html"] },
    target: "es2022",
  },
  server: { proxy: { "/v1": server, "/healthz": server, "/r/": server } },
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
