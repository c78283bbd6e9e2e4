/** The players' pages, by address. */
import { createRouter } from "sv-router";
import Lobby from "./Lobby.svelte";

export const { p, navigate, route } = createRouter({
  "/play": Lobby,
  "/play/start/:episode": () => import("./Start.svelte"),
  "/play/:session": () => import("./TalkPage.svelte"),
  "/embed/:episode": () => import("./Embedded.svelte"),
  "*": () => import("../NotFound.svelte"),
});
