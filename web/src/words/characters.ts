/** The words of lorebooks, portraits and files of characters: loaded with their pages. */
import de from "./characters/de.json";
import en from "./characters/en.json";
import { speaker, type Word as Common } from "./say";

export { number, time } from "./say";
export type Word = Common | keyof typeof en;
export const CHARACTERS = { en, de };
export const say = speaker(CHARACTERS);
