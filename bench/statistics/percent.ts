/** Makes rows of shares in percent, and their bars. */
import type { Bar } from "../bar.ts";
import type { Row } from "../bench.ts";

export const atLeast = (percent: number): Bar => ({
  text: `≥ ${percent}`,
  holds: (found) => found >= percent,
});

export const atMost = (percent: number): Bar => ({
  text: `≤ ${percent}`,
  holds: (found) => found <= percent,
});

export const between = (low: number, high: number): Bar => ({
  text: `${low} to ${high}`,
  holds: (found) => found >= low && found <= high,
});

/**
 * @param share The share as a number from 0 to 1.
 * @param bar Absent: the row shows a figure about which nothing is promised.
 */
export function row(what: string, share: number, bar?: Bar): Row {
  return { what, samples: [100 * share], ...(bar !== undefined && { bar }) };
}
