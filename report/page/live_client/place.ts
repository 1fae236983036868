/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Where somebody is in the page: what is seen stays where it is seen, however much comes in above it. */
import { keyed, keyIn } from "./keyed.ts";

const HEADINGS = "main h1, main h2, main h3, main h4, main summary, main caption.seen";
const SCENARIOS = "section.scenario";

export interface Place {
  /** In the page that took the place of the one where it was noted. */
  restore(): void;
}

export function notePlace(): Place {
  const heights = new Map(
    [...keyed<HTMLElement>(SCENARIOS)].map(([key, { offsetHeight }]) => [key, offsetHeight]),
  );
  const isAtTop = scrollY === 0;
  const headings = keyed(HEADINGS);
  const anchor = anchorOf([...headings.values()]);
  const key = keyIn(headings, anchor);
  const top = anchor?.getBoundingClientRect().top ?? 0;
  const restore = (): void => {
    for (const [key, section] of keyed<HTMLElement>(SCENARIOS)) {
      // What is not laid out yet is taken to be as high as it was.
      const height = heights.get(key);
      if (height !== undefined) section.style.containIntrinsicSize = `auto ${height}px`;
    }
    const now = key === undefined ? undefined : keyed(HEADINGS).get(key);
    if (now && !isAtTop) scrollBy(0, now.getBoundingClientRect().top - top);
  };
  return { restore };
}

/** The first that is seen; else the last above. */
function anchorOf(headings: readonly Element[]): Element | null {
  const shown = headings.filter((heading) => heading.checkVisibility());
  const navigation = document.querySelector("nav")?.getBoundingClientRect().bottom ?? 0;
  const below = shown.find((heading) => heading.getBoundingClientRect().top >= navigation);
  const isSeen = below !== undefined && below.getBoundingClientRect().top < innerHeight;
  if (isSeen) return below;
  return shown.findLast((heading) => heading.getBoundingClientRect().top < navigation) ?? null;
}
