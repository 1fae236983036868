/** What stands out in the timelines of a scenario: the data, and the sentence of each code. */
import type { Run } from "../../../runner/result/result.ts";
import type { CellRuns } from "../runs/cells.ts";
import { type IntervalPoint, intervalsOf, isEmpty, lowerBoundsIn } from "../runs/intervals.ts";
import { sum } from "../numbers/spread.ts";
import { formatMs, formatNumber, formatShare } from "../numbers/units.ts";

interface TimelineEvidence {
  readonly "no-request-ended": Readonly<Record<never, never>>;
  /** `p99`: milliseconds; `endS`: since the start of the run. */
  readonly "slowest-interval": {
    readonly run: string;
    readonly p99: number;
    readonly isAtLeast: boolean;
    readonly endS: number;
  };
  /** `swing`: standard deviation of the intervals' rates over their mean. */
  readonly "least-steady-run": { readonly run: string; readonly swing: number };
}

export type TimelineCode = keyof TimelineEvidence;
export type TimelineFindingOf<Code extends TimelineCode> = {
  readonly code: Code;
  readonly evidence: TimelineEvidence[Code];
};
type TimelineFinding = { [Code in TimelineCode]: TimelineFindingOf<Code> }[TimelineCode];

const SENTENCES: {
  readonly [Code in TimelineCode]: (evidence: TimelineEvidence[Code]) => string;
} = {
  "no-request-ended": () => "No request ended.",
  "slowest-interval": ({ run, p99, isAtLeast, endS }) =>
    `The slowest interval had a p99 of ${isAtLeast ? "at least " : ""}${formatMs(p99)}: ${run}, ` +
    `${formatNumber(endS)} s after its start.`,
  "least-steady-run": ({ run, swing }) =>
    `Requests/s were least steady in ${run}: ±${formatShare(swing)} around their mean.`,
};

/** The slowest moment and the least steady run, in sentences. */
export function timelineText(cells: readonly CellRuns[]): string {
  return timelineFindings(cells).map((finding) => timelineSentence(finding)).join(" ");
}

export function timelineSentence<Code extends TimelineCode>(
  { code, evidence }: TimelineFindingOf<Code>,
): string {
  return SENTENCES[code](evidence);
}

interface NamedRun {
  readonly name: string;
  readonly run: Run;
}

function timelineFindings(cells: readonly CellRuns[]): TimelineFinding[] {
  const runs = cells.flatMap(({ label, runs }) =>
    runs.map((run) => ({ name: `${label}, run ${run.repetition}`, run }))
  );
  return [slowestInterval(runs), ...leastSteadyRun(runs)];
}

function slowestInterval(runs: readonly NamedRun[]): TimelineFinding {
  const moments = runs.flatMap(({ name, run }) =>
    intervalsOf(run).filter(({ point }) => !isEmpty(point)).map(({ point }) => ({ name, point }))
  );
  const slowest = highest(moments, ({ point }: { point: IntervalPoint }) => point.p99);
  if (!slowest) return { code: "no-request-ended", evidence: {} };
  const { name: run, point } = slowest;
  const isAtLeast = lowerBoundsIn(point).includes("p99");
  return {
    code: "slowest-interval",
    evidence: { run, p99: point.p99, isAtLeast, endS: point.endS },
  };
}

/** None where no run swings. */
function leastSteadyRun(runs: readonly NamedRun[]): TimelineFinding[] {
  const swings = runs.map(({ name, run }) => ({ run: name, swing: swingOf(run) }));
  const worst = highest(swings, ({ swing }) => swing);
  return !worst || worst.swing === 0 ? [] : [{ code: "least-steady-run", evidence: worst }];
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
