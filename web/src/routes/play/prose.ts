/** A message in its parts: what is done stands between asterisks, what is said around it. */
export interface Piece {
  readonly text: string;
  readonly done: boolean;
}

export function pieces(content: string): Piece[] {
  const found = content.split(/\*(?=\S)([^*\n]+)\*?/);
  return found
    .map((text, index) => ({ text: index % 2 ? text : unquoted(text), done: index % 2 === 1 }))
    .filter(({ text }) => text.trim() !== "");
}

/** Without the quotation marks around the whole of it; a page shows by its type who speaks. */
function unquoted(text: string): string {
  const plain = text.trim();
  const inside = /^["“]([^"“”]*)["”]?$/.exec(plain);
  return inside?.[1] ?? plain;
}
