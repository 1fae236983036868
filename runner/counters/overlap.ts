/** Slow requests and pauses on one clock: how many overlap one that matters to them, and how many would by chance. Pure. */

/** Of one clock, in one unit. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface Pause extends Period {
  /** How long it took, somewhere in its period. */
  readonly lasts: number;
}

/** Of a request's time: it did not wait for a pause that is shorter. */
const LEAST_RATIO = 0.1;

export interface Overlap {
  readonly overlapping: number;
  /** The mean number where each request, as long as it was, came at a random moment. */
  readonly expected: number;
}

/** Pauses shorter than a tenth of a request are none of its causes. @param whole The run, in which the requests may begin. */
export function overlapOf(
  requests: readonly Period[],
  pauses: readonly Pause[],
  whole: Period,
): Overlap {
  let overlapping = 0;
  let expected = 0;
  for (const request of requests) {
    const leastLength = LEAST_RATIO * (request.to - request.from);
    const merged = mergedPeriods(pauses.filter(({ lasts }) => lasts >= leastLength));
    if (merged.some((pause) => meet(request, pause))) overlapping++;
    expected += chanceOf(request, merged, whole);
  }
  return { overlapping, expected };
}

function meet(a: Period, b: Period): boolean {
  return a.from < b.to && b.from < a.to;
}

/** Share of the moments at which a request of this length overlaps a pause: from its length before each to its end. */
function chanceOf({ from, to }: Period, pauses: readonly Period[], whole: Period): number {
  const length = Math.min(to - from, whole.to - whole.from);
  const last = whole.to - length;
  if (last <= whole.from) return pauses.some((pause) => meet(whole, pause)) ? 1 : 0;
  const starts = mergedPeriods(
    pauses.map((pause) => ({
      from: Math.max(whole.from, pause.from - length),
      to: Math.min(last, pause.to),
    })).filter((span) => span.to > span.from),
  );
  return starts.reduce((sum, span) => sum + span.to - span.from, 0) / (last - whole.from);
}

/** Apart from each other, by their start. */
function mergedPeriods(spans: readonly Period[]): Period[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
