/** How often a page looks again at what it cannot follow. */
export const OFTEN = 4000;

/** Look again and again, but not while nobody sees the page. Returns how to leave off. */
export function again(look: () => Promise<void>, pause = OFTEN): () => void {
  const timer = setInterval(() => document.visibilityState === "visible" && void look(), pause);
  return () => clearInterval(timer);
}
