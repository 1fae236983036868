/** Percentages beside figures: margins, tolerances, widths. Pure. */
import { parseShare, percentageOf, type Read } from "../../base/figures/figure.ts";

/** How messages call it, and what may be written. */
interface Percentage {
  /** Such as "a margin". */
  readonly what: string;
  readonly example: string;
  /** Whether 0% would say nothing. */
  readonly aboveZero: boolean;
}

/** The share that a percentage is, at most 1; a space may stand before its sign. */
export function readPercentage(
  text: string,
  { what, example, aboveZero }: Percentage,
): Read<number> {
  const shareOf = (written: string): number | null => {
    const share = parseShare(written);
    return share === 0 && aboveZero ? null : share;
  };
  const plain = text.trim().replace(/(?<!\s)\s+%$/, "%");
  const value = shareOf(plain);
  if (value !== null) return { value };
  const limits = aboveZero ? "above 0%" : "from 0% to 100%";
  const meant = shareOf(`${plain}%`) === null
    ? `a percentage ${limits}, such as ${example}`
    : percentageOf(plain);
  return { problem: `Cannot read ${JSON.stringify(text)} as ${what}: write ${meant}` };
}
