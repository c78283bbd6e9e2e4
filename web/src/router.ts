/** The pages, by address. Each is loaded when it is first opened. */
import { createRouter } from "sv-router";
import Home from "./routes/Home.svelte";

export const { p, navigate, route } = createRouter({
  "/": Home,
  "/scenes": () => import("./routes/scenes/Scenes.svelte"),
  "/characters": () => import("./routes/characters/Characters.svelte"),
  "/characters/:name": () => import("./routes/characters/Character.svelte"),
  "/compose": () => import("./routes/scenes/Compose.svelte"),
  "/scenes/:run/seat/:part": () => import("./routes/scenes/Seat.svelte"),
  "/scenes/:run": () => import("./routes/scenes/Stage.svelte"),
  "/workshop": () => import("./routes/workshop/Workshop.svelte"),
  "/workshop/patches": () => import("./routes/workshop/Patches.svelte"),
  "/workshop/health": () => import("./routes/workshop/Health.svelte"),
  "/workshop/graph": () => import("./routes/workshop/Graph.svelte"),
  "/workshop/lineup": () => import("./routes/workshop/Lineup.svelte"),
  "/costs": () => import("./routes/costs/Costs.svelte"),
  "/runs": () => import("./routes/runs/Runs.svelte"),
  "/episodes": () => import("./routes/episodes/Episodes.svelte"),
  "/episodes/:name": () => import("./routes/episodes/EpisodeFile.svelte"),
  "/ensemble": () => import("./routes/ensemble/Ensemble.svelte"),
  "/ensemble/:run": () => import("./routes/ensemble/Ensemble.svelte"),
  "/ensemble/:run/stage": () => import("./routes/ensemble/Stage.svelte"),
  "*": () => import("./routes/NotFound.svelte"),
});
