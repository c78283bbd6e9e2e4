/** The name of a file for a title: `Tea at midnight` is `tea-at-midnight`. */
export function fileName(title: string): string {
  const plain = title.replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
}
