/** What stands out in the timelines of a scenario, in words. */
import type { Run } from "../../../runner/result/result.ts";
import type { CellRuns } from "../runs/cells.ts";
import { type IntervalPoint, intervalsOf, isEmpty, lowerBoundsIn } from "../runs/intervals.ts";
import { sum } from "../numbers/spread.ts";
import { formatMs, formatNumber, formatShare } from "../numbers/units.ts";

interface NamedRun {
  readonly name: string;
  readonly run: Run;
}

/** The slowest moment and the least steady run. */
export function timelineFinding(cells: readonly CellRuns[]): string {
  const runs = cells.flatMap(({ label, runs }) =>
    runs.map((run) => ({ name: `${label}, run ${run.repetition}`, run }))
  );
  return [slowestText(runs), unsteadiestText(runs)].filter(Boolean).join(" ");
}

function slowestText(runs: readonly NamedRun[]): string {
  const moments = runs.flatMap(({ name, run }) =>
    intervalsOf(run).filter(({ point }) => !isEmpty(point)).map(({ point }) => ({ name, point }))
  );
  const slowest = highest(moments, ({ point }: { point: IntervalPoint }) => point.p99);
  if (!slowest) return "No request ended.";
  const { name, point } = slowest;
  const isAtLeast = lowerBoundsIn(point).includes("p99");
  return `The slowest interval had a p99 of ${isAtLeast ? "at least " : ""}${
    formatMs(point.p99)
  }: ${name}, ` +
    `${formatNumber(point.endS)} s after its start.`;
}

function unsteadiestText(runs: readonly NamedRun[]): string {
  const swings = runs.map(({ name, run }) => ({ name, swing: swingOf(run) }));
  const worst = highest(swings, ({ swing }) => swing);
  if (!worst || worst.swing === 0) return "";
  return `Requests/s were least steady in ${worst.name}: ±${
    formatShare(worst.swing)
  } around their mean.`;
}

/** Standard deviation of the intervals' rates over their mean. */
function swingOf(run: Run): number {
  const rates = intervalsOf(run).map(({ ratePerSec }) => ratePerSec);
  const mean = sum(rates, (rate) => rate) / rates.length;
  const variance = sum(rates, (rate) => (rate - mean) ** 2) / rates.length;
  return mean > 0 ? Math.sqrt(variance) / mean : 0;
}

function highest<T>(items: readonly T[], of: (item: T) => number): T | null {
  return items.reduce<T | null>(
    (best, item) => best !== null && of(best) >= of(item) ? best : item,
    null,
  );
}
