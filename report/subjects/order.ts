/**
 * Every run in the order of measurement, relative to the mean of its cell. This reveals a drift, a warm-up or a
 * temporary disturbance.
 */
import { type Block, figure } from "../blocks.ts";
import type { Run } from "../../runner/result/result.ts";
import { compact, type Xy, type XyPoint, type XySeries } from "../chart.ts";
import { formatMoment, formatNumber, formatShare } from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import type { ReportContext } from "./subject.ts";

export function order({ scenarios }: ReportContext): Block[] {
  const chart = orderOf(scenarios);
  if (chart === null) return [];
  return [figure([{ chart }], { reading: READING })];
}

const READING =
  "Each dot is a run, in the order in which the runs took place; its height is its requests/s relative to the mean of its cell. Dots that climb or sink together show a drift of the machine. Filled: valid; hollow: suspect; a cross: invalid. The bars beneath show how busy the machine's cores were.";

/** A chart of all runs in the order of measurement; null if there are too few runs to show an order. */
function orderOf(scenarios: ReportContext["scenarios"]): Xy | null {
  const runs = scenarios.flatMap(({ name, cells }) =>
    cells.flatMap(({ label, color, rate, runs }) =>
      runs.map((run) => ({
        label: `${name}, ${label}`,
        color,
        ratio: compact(rate.mean > 0 ? run.rate / rate.mean : 0),
        run,
        mean: rate.mean,
      }))
    )
  ).filter(({ ratio }) => ratio > 0).sort((a, b) => a.run.order - b.run.order);
  if (runs.length < LEAST_RUNS) return null;
  const most = Math.max(...runs.map(({ ratio }) => Math.max(ratio, 1 / ratio)), LEAST_RATIO);
  const busy = runs.map(({ run }, i): XyPoint => ({
    x: i + 1,
    y: run.generator.hostActivity.busy ?? 0,
    lines: [],
  }));
  return {
    kind: "xy",
    alt: `Requests/s of ${counted(runs.length, "run")} against the mean of their cells, over time`,
    size: "medium",
    x: {
      ...{ unit: "", scale: "linear", min: 0, max: runs.length + 1 },
      title: "runs in the order in which they took place",
    },
    y: {
      ...{ unit: "×", scale: "log", min: compact(1 / most ** 1.1), max: compact(most ** 1.1) },
      title: "requests/s",
    },
    references: [{ kind: "horizontal", at: 1, color: "muted" }],
    series: [
      { label: "", color: "muted", draw: "foot", points: busy },
      ...[...Map.groupBy(runs, ({ label }) => label)].map(([label, those]): XySeries => ({
        label,
        color: those[0].color,
        draw: "dots",
        points: those.map(({ ratio, run, mean }) => ({
          x: runs.findIndex((one) => one.run === run) + 1,
          y: ratio,
          ...run.generator.trust === "suspect" && { fill: "hollow" },
          ...run.generator.trust === "invalid" && { mark: "cross" },
          lines: linesOf(run, mean),
        })),
      })),
    ],
  };
}

function linesOf(
  { rate, order, repetition, startedAt, generator: { hostActivity: { busy }, trust } }: Run,
  mean: number,
): string[] {
  const ratio = rate / mean;
  const share = ratio < LEAST_SHARE ? `< ${LEAST_SHARE}×` : `${formatNumber(ratio, 3)}×`;
  return [
    `run ${repetition}: ${formatNumber(rate)} requests/s, ${share} the mean of its cell`,
    `run number ${order}, at ${formatMoment(startedAt)}`,
    ...(busy === null ? [] : [`cores of the machine in use: ${formatShare(busy)}`]),
    trust,
  ];
}

const LEAST_SHARE = 0.001;
const LEAST_RUNS = 6;
/** The axis covers at least a change by this ratio in either direction. */
const LEAST_RATIO = 1.1;
