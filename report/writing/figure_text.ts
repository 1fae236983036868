/** A figure with its interval, as text for sentences and tables. */
import type { FigureUnit } from "../../base/figures/figure.ts";
import {
  formatNumber,
  formatQuantity,
  formatShare,
  isTooWide,
  sizeUnit,
  timeUnit,
  TOO_WIDE,
} from "./units.ts";

/**
 * For example `61.2 ms` or `61.2 ms [59.0 ms, 63.1 ms]`, with the ends in the unit of the value. The interval is left
 * out if both ends look the same as the value.
 */
export function figureRangeText(
  { value, interval }: {
    readonly value: number;
    readonly interval: { readonly low: number; readonly high: number } | null;
  },
  unit: FigureUnit,
): string {
  const most = unit === "share" ? 1 : Infinity;
  const text = (one: number): string => quantityText(Math.min(most, Math.max(0, one)), unit, value);
  if (interval === null) return text(value);
  if (isTooWide(interval)) return `${text(value)} ${TOO_WIDE}`;
  const [low, high] = [text(interval.low), text(interval.high)];
  return low === high && low === text(value) ? low : `${text(value)} [${low}, ${high}]`;
}

/** A quantity with its unit. @param typical The value whose size decides which unit to use, such as ms or s. */
function quantityText(value: number, unit: FigureUnit, typical: number): string {
  switch (unit) {
    case "ms":
      return formatQuantity(value, timeUnit([typical]));
    case "perSec":
      return `${formatNumber(value)}/s`;
    case "share":
      return formatShare(value);
    case "cores":
      return `${formatNumber(value)} cores`;
    case "count":
      return formatNumber(value);
    case "bytes":
      return formatQuantity(value, sizeUnit([typical]));
    case "bytesPerSec":
      return `${formatQuantity(value, sizeUnit([typical]))}/s`;
  }
}
