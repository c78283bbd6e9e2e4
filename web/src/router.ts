/** The pages, by address. Each is loaded when it is first opened. */
import { createRouter } from "sv-router";
import Home from "./routes/Home.svelte";

export const { p, navigate, route } = createRouter({
  "/": Home,
  "/scenes": () => import("./routes/scenes/Scenes.svelte"),
  "/scenes/:run": () => import("./routes/scenes/Stage.svelte"),
  "/runs": () => import("./routes/runs/Runs.svelte"),
  "/episodes": () => import("./routes/episodes/Episodes.svelte"),
  "/episodes/:name": () => import("./routes/episodes/EpisodeFile.svelte"),
  "/ensemble": () => import("./routes/ensemble/Ensemble.svelte"),
  "/ensemble/:run": () => import("./routes/ensemble/Ensemble.svelte"),
  "/ensemble/:run/stage": () => import("./routes/ensemble/Stage.svelte"),
  "*": () => import("./routes/NotFound.svelte"),
});
