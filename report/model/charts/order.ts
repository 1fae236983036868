/** Every run in the order in which it ran, against the mean of its cell: a drift, a warm-up or a disturbed hour shows at once. */
import type { Run } from "../../../runner/result/result.ts";
import { formatMoment, formatNumber, formatShare } from "../numbers/units.ts";
import { counted } from "../numbers/words.ts";
import type { ScenarioRuns } from "../runs/cells.ts";
import { compact, type OrderChart } from "./charts.ts";

/** Null for fewer runs than show an order. */
export function orderOf(scenarios: readonly ScenarioRuns[]): OrderChart | null {
  const runs = scenarios.flatMap(({ name, cells }) =>
    cells.flatMap(({ label, color, rate, runs }) =>
      runs.map((run): OrderChart["runs"][number] & { order: number } => ({
        order: run.order,
        label: [name, label, `run ${run.repetition}`].join(", "),
        color,
        ratio: compact(rate.mean > 0 ? run.rate / rate.mean : 0),
        trust: run.generator.trust,
        busy: run.generator.hostActivity.busy,
        lines: linesOf(run, rate.mean),
      }))
    )
  ).filter(({ ratio }) => ratio > 0).sort((a, b) => a.order - b.order);
  if (runs.length < LEAST_RUNS) return null;
  const most = Math.max(...runs.map(({ ratio }) => Math.max(ratio, 1 / ratio)), LEAST_RATIO);
  return {
    kind: "order",
    alt: `Requests/s of ${counted(runs.length, "run")} against the mean of their cells, in time`,
    axis: { unit: "×", scale: "log", min: compact(1 / most ** 1.1), max: compact(most ** 1.1) },
    runs: runs.map(({ order: _, ...run }) => run),
  };
}

const LEAST_RUNS = 6;
/** The axis holds at least this change either way. */
const LEAST_RATIO = 1.1;

function linesOf(run: Run, meanPerSec: number): string[] {
  const { generator: { trust, hostActivity: { busy } }, rate, order, startedAt } = run;
  return [
    `${formatNumber(rate)} requests/s, ${formatNumber(rate / meanPerSec, 3)}× the mean of its cell`,
    `ran as number ${order}, ${formatMoment(startedAt)}`,
    ...(busy === null ? [] : [`cores of the machine in use: ${formatShare(busy)}`]),
    trust,
  ];
}
