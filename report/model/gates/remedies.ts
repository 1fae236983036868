/** What would decide a threshold that is not decided, in words. */
import type { Measurement } from "../../../runner/result/result.ts";
import { formatCount } from "../numbers/units.ts";
import { counted } from "../numbers/words.ts";

/** More of them are no advice. */
const MOST_REQUESTS = 1e9;

/** `about 3,840 requests without a failure would decide`. */
export function requestsText(count: number, clause = ""): string {
  if (!(count <= MOST_REQUESTS)) return "it lies at the limit, where no number of requests decides";
  return ["about", formatCount(roundedUp(count)), "requests", clause, "would decide"]
    .filter(Boolean).join(" ");
}

/** `about 12 runs would decide`. */
export function runsText(count: number | null, where = ""): string {
  if (count === null) return "it lies so near the limit that 1,000 runs would not decide";
  return ["about", formatCount(count), "runs", where, "would decide"].filter(Boolean).join(" ");
}

/** To three digits: no estimate is better. */
function roundedUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 2);
  return Math.ceil(count / step) * step;
}

/** Of requests that are lower bounds. */
export function endlessText(runs: readonly Pick<Measurement, "latency">[]): string {
  const count = runs.reduce((sum, { latency: { censored } }) => sum + censored, 0);
  return `${counted(count, "request")} never ended, so it may be more`;
}
