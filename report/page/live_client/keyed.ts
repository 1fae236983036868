/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Elements by what they are called, so that one is found again in a newer page: there, positions and ids
 * may have moved on, as more scenarios and targets are in.
 */

/** The elements of a page that match, by their names; of those with one name, each has a number. */
export function keyed<Kind extends Element>(selector: string): Map<string, Kind> {
  const counts = new Map<string, number>();
  return new Map(
    [...document.querySelectorAll<Kind>(selector)].map((element) => {
      const name = nameOf(element);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [`${name}/${count}`, element];
    }),
  );
}

/** The key of one of them; undefined for null. */
export function keyIn<Kind extends Element>(
  elements: ReadonlyMap<string, Kind>,
  wanted: Element | null,
): string | undefined {
  return [...elements].find(([, element]) => element === wanted)?.[0];
}

function nameOf(element: Element): string {
  const part = element.closest("section, figure.overview, article, nav");
  const heading = part?.querySelector("h1, h2, h3")?.textContent;
  const label = element instanceof HTMLInputElement
    ? `${element.name} ${element.labels?.[0]?.textContent}`
    : element.querySelector("caption, summary")?.textContent ??
      `${element.closest("table")?.caption?.textContent} ${element.textContent}`;
  return [part?.className, heading, element.tagName, label].join("/");
}
