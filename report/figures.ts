/** The figures that thresholds name, of one run: in the unit of the results, or why there is none. */
import type { Distribution, Measurement, Run, Threshold } from "../runner/result.ts";
import { isLowerBound, type Percentile } from "./pool.ts";
import { meanCoresOf, peakMemoryBytesOf } from "./resources.ts";

export type FigureName = Threshold["figure"];

/** A run, or a single measurement, which knows nothing of its target's process. */
export type Judged = Measurement & Partial<Pick<Run, "startUp" | "resources">>;

export type FigureOfRun =
  | {
    readonly value: number;
    /** True: the value that waiting longer would have shown may be any larger. */
    readonly isAtLeast: boolean;
  }
  | { readonly none: string };

export function figureOfRun(name: FigureName, run: Judged): FigureOfRun {
  const [, of, time] = TIMES.exec(name) ?? [];
  if (time !== undefined) return timeOf(run, of as DistributionName | undefined, time);
  return OTHERS[name as OtherName](run);
}

const TIMES = /^(?:(service|firstByte|connect)\.)?(min|mean|max|p[\d.]+)$/;
type DistributionName = "service" | "firstByte" | "connect";
type OtherName = Extract<
  FigureName,
  | "rate"
  | "success"
  | "errors"
  | "dropped"
  | "startUp"
  | "cpu"
  | "memory"
  | "generator.cpu"
  | `lag.${string}`
>;

const NOTHING_MEASURED: Readonly<Record<DistributionName | "latency", string>> = {
  latency: "no request has a latency",
  service: "no request has a service time",
  firstByte: "no answer began",
  connect: "no connection was made",
};

function timeOf(run: Judged, of: DistributionName | undefined, time: string): FigureOfRun {
  const times: Distribution = of ? run[of] : run.latency;
  if (times.count === 0) return { none: NOTHING_MEASURED[of ?? "latency"] };
  const holdsBounds = of === undefined || of === "service";
  if (time === "mean") return exact(times.mean);
  if (time === "min") return exact(of ? times.min : run.latency.fastest);
  // What was under way at the end may have been sent a moment before; what timed out did take that long.
  const timedOut = (run.errors.timeout ?? 0) > 0;
  if (time === "max") return { value: times.max, isAtLeast: holdsBounds && timedOut };
  const percentile = Number(time.slice(1)) as Percentile;
  const { count } = times;
  return {
    value: times.percentiles[`${percentile}`],
    isAtLeast: holdsBounds && isLowerBound({ count, censored: run.latency.censored }, percentile),
  };
}

const OTHERS: Readonly<Record<OtherName, (run: Judged) => FigureOfRun>> = {
  rate: ({ requests, rate }) => requests.due === 0 ? NOTHING_SENT : exact(rate),
  success: (run) => shareOf(1 - wrongRatioOf(run)),
  errors: (run) => shareOf(wrongRatioOf(run)),
  dropped: ({ requests }) =>
    requests.due === 0 ? NOTHING_SENT : exact(requests.dropped / requests.due),
  startUp: ({ startUp }) =>
    startUp === null || startUp === undefined
      ? { none: "the target was not started here" }
      : exact(startUp),
  cpu: (run) => ofTarget(run, meanCoresOf),
  memory: (run) => ofTarget(run, peakMemoryBytesOf),
  "generator.cpu": ({ generator }) => exact(generator.cpu),
  "lag.p50": (run) => lagOf(run, "p50"),
  "lag.p99": (run) => lagOf(run, "p99"),
  "lag.max": (run) => lagOf(run, "max"),
};

const NOTHING_SENT: FigureOfRun = { none: "no request was due" };

function exact(value: number): FigureOfRun {
  return { value, isAtLeast: false };
}

/**
 * Failed, never sent, or answered wrong, as a share of all that were due but those under way at the end.
 * Where nothing was expected of the answers, those outside 2xx and 3xx are wrong.
 */
function wrongRatioOf({ requests, checks, status }: Judged): number {
  const { completed, failed, dropped } = requests;
  const unexpected = Object.entries(status)
    .reduce((sum, [code, count]) => /^[23]/.test(code) ? sum : sum + count, 0);
  const wrong = checks.passed + checks.failed > 0 ? checks.failed : unexpected;
  return (failed + dropped + wrong) / (completed + failed + dropped); // NaN when none ended
}

function shareOf(share: number): FigureOfRun {
  return Number.isNaN(share) ? { none: "no request ended" } : exact(share);
}

function ofTarget(
  { resources = [] }: Judged,
  of: (run: Pick<Run, "resources">) => number,
): FigureOfRun {
  return resources.length === 0
    ? { none: "CPU and memory are those of targets that Plateau starts" }
    : exact(of({ resources }));
}

function lagOf({ load, requests, generator }: Judged, of: "p50" | "p99" | "max"): FigureOfRun {
  if (load.kind === "closed") return { none: "a closed loop sends when it can and has no lag" };
  return requests.due === 0 ? NOTHING_SENT : exact(generator.lag[of]);
}
