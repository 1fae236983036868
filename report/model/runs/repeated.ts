/** How often an experiment was repeated, why no more, and what of its runs counts. */
import type { Results } from "../../../runner/result/result.ts";
import type { CountedPart } from "../../../runner/stats/confidence/blocks.ts";
import { LOOK_CONFIDENCE } from "../../../runner/stats/confidence/sequential.ts";

export interface Repeated extends CountedPart {
  /** Confidence to compute intervals at, so that they may be called 95 %: see `sequential.ts`. */
  readonly level: number;
}

export function repeatedOf({ experiment }: Pick<Results, "experiment">): Repeated {
  const { discard, figures, repeat } = experiment;
  return {
    discardS: typeof discard === "number" ? discard / 1_000 : 0,
    figures: figures === "steady" ? figures : "whole",
    level: isUntil(repeat) ? LOOK_CONFIDENCE : 0.95,
  };
}

/** Whether the runs themselves decided how many there are. */
function isUntil(repeat: unknown): boolean {
  return typeof repeat === "object" && repeat !== null && "until" in repeat &&
    repeat.until !== null;
}
