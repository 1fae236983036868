/** How often an experiment was repeated, why no more, and what of its runs counts. */
import type { Results } from "../runner/result.ts";
import { LOOK_CONFIDENCE } from "../runner/stats/sequential.ts";

export interface Repeated {
  /** Seconds at the start of every run that count for nothing. */
  readonly discardS: number;
  /** Confidence to compute intervals at, so that they may be called 95 %: see `sequential.ts`. */
  readonly level: number;
}

export function repeatedOf({ experiment }: Pick<Results, "experiment">): Repeated {
  const { discard, repeat } = experiment;
  return {
    discardS: typeof discard === "number" ? discard / 1_000 : 0,
    level: isUntil(repeat) ? LOOK_CONFIDENCE : 0.95,
  };
}

/** Whether the runs themselves decided how many there are. */
function isUntil(repeat: unknown): boolean {
  return typeof repeat === "object" && repeat !== null && "until" in repeat &&
    repeat.until !== null;
}
