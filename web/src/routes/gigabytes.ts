import { number } from "../words/say";

/** A size for people: gigabytes with one digit after the point, or whole megabytes. */
export function gigabytes(bytes: number): string {
  return bytes >= 1e8 ? `${number(Math.round(bytes / 1e8) / 10)} GB` : `${number(Math.round(bytes / 1e6))} MB`;
}
