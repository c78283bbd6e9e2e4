/** A row of links that is scrolled on a small screen: the one of this page is in view. */
import { route } from "../router";

export function revealed(row: HTMLElement): void {
  void route.pathname;
  requestAnimationFrame(() => {
    const here = row.querySelector<HTMLElement>("[aria-current]");
    if (here) row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
  });
}
