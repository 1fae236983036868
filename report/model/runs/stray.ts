/** How far a run strays from itself while it lasts. Pure. */
import type { Run } from "../../../runner/result/result.ts";
import { sum } from "../numbers/spread.ts";

const TENTHS = 10;

/** Requests/s of the fastest tenth of a run over those of its slowest; Infinity where nothing completed in one. */
export function strayRatioOf({ timeline: { points } }: Pick<Run, "timeline">): number {
  const size = Math.max(1, Math.floor(points.length / TENTHS));
  const rates = Array.from({ length: Math.floor(points.length / size) }, (_, i) => {
    const startS = i === 0 ? 0 : points[i * size - 1].endS;
    const those = points.slice(i * size, (i + 1) * size);
    return sum(those, ({ completed }) => completed) / (those[those.length - 1].endS - startS);
  });
  return rates.length === 0 ? Infinity : Math.max(...rates) / Math.min(...rates);
}
