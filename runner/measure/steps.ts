/** Figures of each request of a mix, flow or page, over all workers. */
import { withoutSecrets } from "../../base/secrets.ts";
import { sumOfSeconds } from "../load/recording/second_counts.ts";
import { CLASSES, type StepTotals } from "../load/recording/steps.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import type { StepFigures } from "../result/step.ts";
import { ERRORS } from "../result/outcome.ts";
import type { Measurement } from "../result/result.ts";
import { withoutBounds } from "../stats/histogram/censoring.ts";
import { encodeHistogram } from "../stats/histogram/hdr.ts";
import { sumOfSparse } from "../stats/histogram/histogram.ts";
import { boundedDistributionOf, estimateOf } from "./bounded_times.ts";
import { messageFigures } from "./messages.ts";

interface WholeLoad {
  readonly elapsedS: number;
  readonly clock: Measurement["latency"]["clock"];
}

/** @param names Names in the order of the totals' steps; none if the load has a single step. */
export function stepFigures(
  totals: readonly WorkerTotals[],
  names: readonly string[],
  whole: WholeLoad,
): Pick<Measurement, "steps"> {
  if (names.length === 0) return {};
  return {
    steps: names.map((name, at) => {
      // A worker that was lost before its first report has no steps.
      const parts = totals.flatMap(({ steps }) => steps[at] ?? []);
      return {
        name: withoutSecrets(name),
        ...figuresOf(parts, whole),
        ...messageFigures(totals, whole, at),
      };
    }),
  };
}

function figuresOf(
  parts: readonly StepTotals[],
  { elapsedS, clock }: WholeLoad,
): Omit<StepFigures, "name"> {
  const sum = (of: (part: StepTotals) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  const all = sumOfSparse(parts.map(({ latency }) => latency));
  const censored = sumOfSparse(parts.map((part) => part.censored));
  const counts = {
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    unfinished: sum(({ unfinished }) => unfinished),
    dropped: sum(({ dropped }) => dropped),
  };
  const { completed, failed, unfinished, dropped } = counts;
  const statuses = Array.from(
    { length: CLASSES },
    (_, at) => [String(100 * (at + 1)), sum((part) => part.classes[at])] as const,
  );
  const errors = ERRORS.map((kind, at) => [kind, sum((part) => part.errors[at])] as const);
  const { everyS, counts: seconds } = sumOfSeconds(parts.map((part) => part.seconds));
  const inTime = seconds.reduce((total, second) => total + second, 0);
  const { minUs } = withoutBounds(all, censored);
  return {
    requests: { due: completed + failed + unfinished + dropped, ...counts },
    wrong: sum(({ wrong }) => wrong),
    status: Object.fromEntries(statuses.filter(([, completed]) => completed > 0)),
    errors: Object.fromEntries(errors.filter(([, failed]) => failed > 0)),
    rate: elapsedS > 0 ? inTime / elapsedS : 0,
    seconds: [...seconds],
    ...everyS > 1 && { everyS },
    latency: {
      clock,
      ...boundedDistributionOf({ all, censored }, estimateOf(clock)),
      censored: censored.count,
      fastest: minUs === Infinity ? 0 : minUs / 1_000,
    },
    histogram: encodeHistogram(all),
    ...censored.count > 0 && { censoredHistogram: encodeHistogram(censored) },
  };
}
