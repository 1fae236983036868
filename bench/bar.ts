/** The bar for a figure: a condition that it must meet, either absolute or relative to the figure's baseline. */

export interface Bar {
  readonly text: string;
  /** Whether the figure meets the bar. A figure without a baseline (NaN) meets no relative bar. */
  holds(figure: number, baseline: number): boolean;
}

export function atMost(limit: number): Bar {
  return { text: `≤ ${limit}`, holds: (figure) => figure <= limit };
}

/**
 * A bar for an error that the machine itself also causes. The figure may be at most `limit` or, if the baseline exceeds
 * `limit`, at most `limit` more than the baseline.
 */
export function atMostMoreThan(limit: number): Bar {
  return {
    text: `≤ ${limit}, or + ${limit}`,
    holds: (figure, baseline) =>
      figure <= limit || (baseline > limit && figure - baseline <= limit),
  };
}

export function atLeast(limit: number): Bar {
  return { text: `≥ ${limit}`, holds: (figure) => figure >= limit };
}

export function atMostTimes(ratio: number): Bar {
  return { text: `≤ ${ratio} ×`, holds: (figure, baseline) => figure <= ratio * baseline };
}

export function atLeastTimes(ratio: number): Bar {
  return { text: `≥ ${ratio} ×`, holds: (figure, baseline) => figure >= ratio * baseline };
}

export const aboveBaseline: Bar = {
  text: "> 1 ×",
  holds: (figure, baseline) => figure > baseline,
};

export const belowBaseline: Bar = {
  text: "< 1 ×",
  holds: (figure, baseline) => figure < baseline,
};

export const equal: Bar = { text: "equal", holds: (figure, baseline) => figure === baseline };

/**
 * A bar for figures near their baseline. They may differ from it by `off` (in their own unit) or by the share `ratio`
 * of it, whichever is more.
 */
export function within(off: number, ratio = 0): Bar {
  return {
    text: ratio > 0 ? `± ${off} or ${ratio * 100} %` : `± ${off}`,
    holds: (figure, baseline) => Math.abs(figure - baseline) <= Math.max(off, ratio * baseline),
  };
}
