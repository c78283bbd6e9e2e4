/** The pages, by address. Each is loaded when it is first opened. */
import { createRouter } from "sv-router";
import Home from "./routes/Home.svelte";

export const { p, navigate, route } = createRouter({
  "/": Home,
  "/scenes": () => import("./routes/scenes/Scenes.svelte"),
  "/compose": () => import("./routes/scenes/Compose.svelte"),
  "/scenes/:run/seat/:part": () => import("./routes/scenes/Seat.svelte"),
  "/scenes/:run": () => import("./routes/scenes/Stage.svelte"),
  "/runs": () => import("./routes/runs/Runs.svelte"),
  "*": () => import("./routes/NotFound.svelte"),
});
