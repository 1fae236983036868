/** Why there are no more repetitions, where the experiment left their number open, and what they can show. */
import type { Stopping } from "../../../runner/result/invocation.ts";

import { smallestChangeOf } from "../../../runner/stats/comparison/verdict.ts";
import { ratioInterval } from "../../../runner/stats/confidence/confidence_interval.ts";
import { DEFAULT_MARGIN_RATIO } from "../comparison/comparison.ts";
import { MOST_CHANGE, percentText } from "../comparison/words.ts";
import { GLUE } from "../numbers/units.ts";
import type { ScenarioRuns } from "../runs/cells.ts";
import type { MeasuredRuns } from "../runs/measured.ts";

/** "" for a fixed number of repetitions, and for an experiment without an end. */
export function repetitionsText(
  { stopping }: Pick<MeasuredRuns, "stopping">,
  scenarios: readonly ScenarioRuns[],
): string {
  if (stopping === undefined || stopping.reason === "fixed") return "";
  const change = smallestChange(scenarios);
  const sentences = [
    `Stopped after ${stopping.repetitions} repetitions${WHY[stopping.reason]}: ${
      widthText(stopping)
    }`,
    ...(change === null ? [] : [changeText(change)]),
  ];
  return `${sentences.join("; ")}.`;
}

function changeText(change: number): string {
  return change > MOST_CHANGE
    ? "a change of less than 10× would not have been seen: add runs"
    : `a change of ${percentText(change)} would have been seen`;
}

const WHY: Readonly<Record<Stopping["reason"], string>> = {
  precision: "",
  fixed: "",
  budget: ", as another would have passed the time budget",
  limit: ", the most that were allowed",
};

function widthText({ halfWidth, target, reason }: Stopping): string {
  if (halfWidth === null) return "not every cell has an interval";
  if (halfWidth > MOST_CHANGE) {
    return "the intervals of requests/s and p50 are too wide to say anything";
  }
  const widest = percentText(halfWidth);
  if (target === null) return `the widest interval of requests/s and p50 is ±${GLUE}${widest}`;
  const required = percentText(target);
  if (reason === "precision") {
    return `every interval of requests/s and p50 is within ±${GLUE}${required} (widest ±${GLUE}${widest})`;
  }
  return `the widest interval of requests/s and p50 is ±${GLUE}${widest}, where ±${GLUE}${required} was required`;
}

/** Of the widest figure, against as many runs that differ as much; null without an interval. */
function smallestChange(scenarios: readonly ScenarioRuns[]): number | null {
  const changes = scenarios.flatMap(({ cells }) =>
    cells.flatMap(({ confidence: { estimates } }) =>
      (["rate", 50] as const).flatMap((figure) => {
        const estimate = estimates.get(figure);
        // Against runs of another time, which do not pair with these.
        const other = estimate && { ...estimate, session: null };
        const ratio = other && ratioInterval(other, other);
        return ratio ? [smallestChangeOf(ratio, { marginRatio: DEFAULT_MARGIN_RATIO })] : [];
      })
    )
  );
  return changes.length === 0 ? null : Math.max(...changes);
}
