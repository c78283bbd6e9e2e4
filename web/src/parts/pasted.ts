/** What is pasted into a field, and whether it has room for it. */

export interface Field {
  readonly value: string;
  /** Negative if there is no limit. */
  readonly maxLength: number;
  readonly selectionStart: number | null;
  readonly selectionEnd: number | null;
}

/** How long the field would become and how long it may be; null if there is room. */
export function tooLong({ value, maxLength, selectionStart, selectionEnd }: Field, text: string): { length: number; most: number } | null {
  const replaced = (selectionEnd ?? 0) - (selectionStart ?? 0);
  const length = value.length - replaced + text.replaceAll("\r\n", "\n").length;
  return maxLength >= 0 && length > maxLength && length > value.length ? { length, most: maxLength } : null;
}
