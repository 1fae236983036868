/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** All figures of timelines of the page, by their section; links to their views. */
import type { Drawings } from "../charts/drawings.ts";
import { TimelineFigure } from "./figure.ts";
import { readLink } from "./view.ts";

export type TimelineFigures = ReadonlyMap<string, TimelineFigure>;

export function timelineFigures(drawings: Drawings): TimelineFigures {
  const figures = [...document.querySelectorAll<HTMLElement>("figure.timelines")].flatMap(
    (element) => {
      const form = element.querySelector<HTMLFormElement>("form.view");
      return form ? [new TimelineFigure(element, form, drawings)] : [];
    },
  );
  return new Map(figures.map((figure) => [figure.section, figure]));
}

/** Shows what the page's address asks for, if it does. */
export function followLink(figures: TimelineFigures): void {
  const link = readLink(location.hash);
  const figure = link && figures.get(link.section);
  if (!link || !figure) return;
  figure.show(link.view);
  history.scrollRestoration = "manual"; // or a browser that reloads scrolls back, after us
  figure.scrollIntoView();
}
