/**
 * The view of a scenario's timelines that the reader chose, and the link that keeps it:
 * `#view=e1-s2&range=2-5.5&percentiles=p50,p99&runs=1,3&hide=express`. Parts that are left out are all there is.
 */
import { latencyAxis } from "../../subjects/charts/time_range.ts";
import type { Axis, Timeline } from "../../chart.ts";
import { choiceParts } from "../linked/choice.ts";
import type { TimeRange } from "../../subjects/charts/time_range.ts";

export interface View {
  /** Null: the whole run. */
  readonly range: TimeRange | null;
  /** By name; null: all. */
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
  const list = (name: string): string[] => parts.get(name)?.split(",") ?? [];
  const positions = (name: string): number[] =>
    list(name).map(Number).filter((position) => Number.isInteger(position) && position > 0);
  const percentiles = list("percentiles");
  const runs = positions("runs");
  const view = {
    range: readRange(parts.get("range") ?? ""),
    percentiles: percentiles.length > 0 ? percentiles : null,
    runs: runs.length > 0 ? runs : null,
  };
  return { section, view };
}

function readRange(text: string): TimeRange | null {
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  return Number(from) < Number(to) ? { fromS: Number(from), toS: Number(to) } : null;
}

/** The chart with the chosen runs and percentiles only. */
export function shownOf(chart: Timeline, { percentiles, runs }: View): Timeline {
  const kept = [...chart.percentiles.keys()]
    .filter((i) => percentiles === null || percentiles.includes(chart.percentiles[i]));
  const shown = chart.runs.filter(({ repetition }) => runs?.includes(repetition) ?? true);
  return {
    ...chart,
    percentiles: kept.map((i) => chart.percentiles[i]),
    runs: shown.map((run) => ({ ...run, latency: kept.map((i) => run.latency[i]) })),
  };
}

/** The latency axis that fits the shown parts of the charts. */
export function latencyAxisOf(charts: readonly Timeline[], unit: string): Axis {
  let [min, max] = [Infinity, 0];
  for (const value of charts.flatMap(({ runs }) => runs.flatMap(({ latency }) => latency.flat()))) {
    if (value === null) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return latencyAxis(unit, min, max);
}
