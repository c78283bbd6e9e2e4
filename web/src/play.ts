/** The players' page: its own entry, so that a player's phone loads nothing of the studio. */
import "./design/tokens.css";
import "./design/base.css";
import { mount } from "svelte";
import { acceptInvitation } from "./api/player";
import House from "./routes/play/House.svelte";
import { language } from "./words/say";

acceptInvitation();
document.documentElement.lang = language;
const target = document.getElementById("play");
if (target === null) throw new Error("The page has no #play.");
mount(House, { target });
