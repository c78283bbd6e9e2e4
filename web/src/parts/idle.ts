/** When a page does its work. Each of these returns what calls the work off. */

/** With the next frame; where no frame is drawn, as in a tab behind others, soon all the same. */
export function withNextFrame(work: () => void): () => void {
  const cancel = () => (cancelAnimationFrame(frame), clearTimeout(timer));
  const once = () => (cancel(), work());
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, 200);
  return cancel;
}

/** While the page is idle, but within a tenth of a second. */
export function whenIdle(work: () => void): () => void {
  if (!("requestIdleCallback" in globalThis)) {
    const timer = setTimeout(work, 16); // Safari has no idle time to ask for
    return () => clearTimeout(timer);
  }
  const asked = requestIdleCallback(work, { timeout: 100 });
  return () => cancelIdleCallback(asked);
}
