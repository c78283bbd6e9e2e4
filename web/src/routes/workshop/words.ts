/** Words of the Foreman and of the book's files, as people read them. */

export interface Part {
  readonly text: string;
  readonly strong: boolean;
}

/** A message with its `**strong**` words apart; everything else stays as it was written. */
export function emphasised(message: string): Part[] {
  return message
    .split(/\*\*([^*\n]+)\*\*/)
    .map((text, place) => ({ text, strong: place % 2 === 1 }))
    .filter(({ text }) => text);
}

/** The name of a mode, a state or a field, without the marks of a program: `VOICE_CALIBRATION`, `arc_midpoint`. */
export function spoken(name: string): string {
  return name.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (word) => (word.length > 3 ? word.toLowerCase() : word)).replace(/(?<=\w)_(?=\w)/g, " ");
}
