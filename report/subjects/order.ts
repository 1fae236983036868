/** Every run in the order in which it ran, against the mean of its cell: a drift, a warm-up or a disturbed hour shows at once. */
import { figure } from "../blocks.ts";
import { counted } from "../writing/words.ts";
import { compact, type OrderChart } from "./charts/charts.ts";
import type { ReportContext, Subject } from "./subject.ts";

export const order: Subject<ReportContext> = {
  id: "order",
  title: "Runs in time",
  depth: "detail",
  build: ({ scenarios }) => {
    const chart = orderOf(scenarios);
    if (chart === null) return [];
    return [figure([{ title: "", of: null, chart }], { reading: READING })];
  },
};

const READING =
  "Each dot is a run, in the order in which the runs took place; up is its requests/s against the mean of its cell. Dots that climb or sink together are a drift of the machine. Filled: valid; hollow: suspect; a cross: invalid. The bars beneath show how busy the machine's cores were.";

/** Null for fewer runs than show an order. */
function orderOf(scenarios: ReportContext["scenarios"]): OrderChart | null {
  const runs = scenarios.flatMap(({ name, cells }) =>
    cells.flatMap(({ label, color, rate, runs }) =>
      runs.map((run): OrderChart["runs"][number] => ({
        order: run.order,
        label: [name, label, `run ${run.repetition}`].join(", "),
        color,
        ratio: compact(rate.mean > 0 ? run.rate / rate.mean : 0),
        trust: run.generator.trust,
        busy: run.generator.hostActivity.busy,
        rate: run.rate,
        mean: rate.mean,
        startedAt: run.startedAt,
      }))
    )
  ).filter(({ ratio }) => ratio > 0).sort((a, b) => a.order - b.order);
  if (runs.length < LEAST_RUNS) return null;
  const most = Math.max(...runs.map(({ ratio }) => Math.max(ratio, 1 / ratio)), LEAST_RATIO);
  return {
    kind: "order",
    alt: `Requests/s of ${counted(runs.length, "run")} against the mean of their cells, in time`,
    axis: { unit: "×", scale: "log", min: compact(1 / most ** 1.1), max: compact(most ** 1.1) },
    runs,
  };
}

const LEAST_RUNS = 6;
/** The axis holds at least this change either way. */
const LEAST_RATIO = 1.1;
