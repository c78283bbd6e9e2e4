/** A hybrid as the writer puts it together: names of paragraphs, `A1` or `B3`, in their order. */

export function toggled(parts: readonly string[], label: string): string[] {
  return parts.includes(label) ? parts.filter((one) => one !== label) : [...parts, label];
}

/** The same parts with one of them a place earlier (-1) or later (1). */
export function moved(parts: readonly string[], index: number, by: -1 | 1): string[] {
  const to = index + by;
  const [one, other] = [parts[index], parts[to]];
  if (one === undefined || other === undefined) return [...parts];
  return parts.map((part, place) => (place === index ? other : place === to ? one : part));
}
