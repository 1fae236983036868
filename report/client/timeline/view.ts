/**
 * The view of a scenario's timelines that the reader chose, and the link that keeps it:
 * `#view=e1-s2&range=2-5.5&percentiles=p50,p99&runs=1,3&hide=express`. Parts that are left out are all there is.
 */
import type { Timeline } from "../../chart.ts";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { choiceParts } from "../linked/choice.ts";

export interface View {
  /** Null: the whole run. */
  readonly range: TimeRange | null;
  /** Percentiles that are shown, by name; null: all. */
  readonly percentiles: readonly string[] | null;
  /** Repetitions of the runs; null: all. */
  readonly runs: readonly number[] | null;
}

export const WHOLE: View = { range: null, percentiles: null, runs: null };

/** The fragment of a link to a view of a section, with its sign. */
export function linkTo(section: string, { range, percentiles, runs }: View): string {
  const parts = [
    `view=${section}`,
    ...(range ? [`range=${range.fromS}-${range.toS}`] : []),
    ...(percentiles ? [`percentiles=${percentiles.join(",")}`] : []),
    ...(runs ? [`runs=${runs.join(",")}`] : []),
    ...choiceParts(),
  ];
  return `#${parts.join("&")}`;
}

/** The section and view of a fragment; null where it is no such link. Parts that make no sense are left out. */
export function readLink(fragment: string): { section: string; view: View } | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const section = parts.get("view");
  if (section === null) return null;
  const listOf = (name: string): string[] | null => parts.get(name)?.split(",") ?? null;
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(parts.get("range") ?? "") ?? [];
  const runs = listOf("runs")?.map(Number).filter((run) => Number.isInteger(run) && run > 0) ?? [];
  const range = Number(from) < Number(to) ? { fromS: Number(from), toS: Number(to) } : null;
  const view = { range, percentiles: listOf("percentiles"), runs: runs.length > 0 ? runs : null };
  return { section, view };
}

/** Whether a run is shown: it is chosen, or none of its cell is. */
export function isChosen(
  { runs }: View,
  repetition: number,
  all: readonly number[],
): boolean {
  return runs === null || runs.includes(repetition) || !all.some((one) => runs.includes(one));
}

/** The chart with the chosen runs and percentiles only. */
export function shownOf(chart: Timeline, view: View): Timeline {
  const kept = [...chart.percentiles.keys()]
    .filter((i) => view.percentiles?.includes(chart.percentiles[i]) ?? true);
  const all = chart.runs.map(({ repetition }) => repetition);
  const shown = chart.runs.filter(({ repetition }) => isChosen(view, repetition, all));
  return {
    ...chart,
    percentiles: kept.map((i) => chart.percentiles[i]),
    runs: shown.map((run) => ({ ...run, latency: kept.map((i) => run.latency[i]) })),
  };
}
