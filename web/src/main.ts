import "./design/tokens.css";
import "./design/base.css";
import { mount } from "svelte";
import { playAsAuthor } from "./api/player";
import Studio from "./Studio.svelte";
import { language } from "./words/say";

playAsAuthor();
document.documentElement.lang = language;
const target = document.getElementById("studio");
if (target === null) throw new Error("The page has no #studio.");
mount(Studio, { target });
