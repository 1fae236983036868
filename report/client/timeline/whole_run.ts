/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * What else a scenario shows while a part of its runs is selected: bars and tails of that part; all others are greyed,
 * as they are of the whole runs.
 */
import type { Chart } from "../../chart.ts";
import { rangeBars, rangeTails, type SelectedPart } from "../../subjects/charts/time_range.ts";
import type { Drawings } from "../charts/drawings.ts";
import { putChart, writtenChart } from "../charts/page_data.ts";

/** @param section Of the scenario. @param part Null: the whole of all runs. */
export function followSelection(
  section: string,
  part: SelectedPart | null,
  drawings: Drawings,
): void {
  const [experiment, number] = section.split("-s");
  for (const id of [`${experiment}-verdict-${number}`, `${section}-tails`]) {
    const canvas = document.getElementById(id);
    const whole = writtenChart(id);
    if (!(canvas instanceof HTMLCanvasElement) || !whole) continue;
    const chart = part && chartOfPart(whole, part);
    putChart(id, chart);
    canvas.ariaLabel = (chart ?? whole).alt;
    drawings.renew(canvas);
  }
  for (const element of othersOf(section)) element.classList.toggle("whole-run", part !== null);
}

function chartOfPart(chart: Chart, part: SelectedPart): Chart | null {
  if (chart.kind === "rows") return rangeBars(chart, part);
  return chart.kind === "xy" ? rangeTails(chart, part) : null;
}

const FIGURES = ":is(figure, .scroll, .findings, figcaption, p.verdict, .panel)";

/** Every table, figure and finding of the scenario that no selection recomputes. */
function othersOf(section: string): Set<Element> {
  const [experiment, number] = section.split("-s");
  const timelines = `#${section}-timeline`;
  const tails = document.getElementById(`${section}-tails`)?.closest("figure");
  const inSection = [...document.querySelectorAll(`#${section} ${FIGURES}`)];
  const verdict = document.getElementById(`${experiment}-verdict-${number}`)
    ?.closest(".group");
  const elsewhere = [
    `${experiment}-compared-${number}`,
    `${experiment}-outcomes-${number}`,
    `${experiment}-tradeoff-${number}`,
  ].flatMap((id) => [...document.querySelectorAll(`[id="${id}"], [id^="${id}-"]`)]);
  const all = [
    ...inSection.filter((element) => !element.closest(timelines) && element !== tails),
    ...verdict?.querySelectorAll(":is(.scroll, p.verdict)") ?? [],
    ...elsewhere.flatMap((element) => element.closest(FIGURES) ?? []),
    ...document.querySelectorAll(`td:has(a[href="#${section}"])`),
  ];
  // Once is enough where one holds another.
  return new Set(
    all.filter((element) => !all.some((other) => other !== element && other.contains(element))),
  );
}
