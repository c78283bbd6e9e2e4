import "./design/tokens.css";
import "./design/base.css";
import { mount } from "svelte";
import { playAsAuthor } from "./api/player";
import Studio from "./Studio.svelte";

playAsAuthor();
const target = document.getElementById("studio");
if (target === null) throw new Error("The page has no #studio.");
mount(Studio, { target });
