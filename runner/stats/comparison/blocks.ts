/**
 * Whether runs of one block have anything in common: then their pairs cancel it, and are worth the half of the degrees
 * of freedom that they cost. Else the same runs say more unpaired.
 *
 * The test is that of two-way tables, the spread between blocks over that within (R. A. Fisher, "The Design of
 * Experiments", 1935). Under normal noise it is independent of the difference of the sides, so that to choose by it
 * favours no verdict. Its level is low: at 5 % real blocks would be missed (T. A. Bancroft, "Analysis and inference for
 * incompletely specified models", 1964, finds 25 % right). Sides that exclude each other, as where the second of two
 * runs is always the slower, make pairs differ more than chance does: they stay pairs, too.
 */
import { twoSidedP } from "../confidence/student_t.ts";

/** One-sided: blocks that slow both sides alike, and sides that take turns. */
const ALIKE_P = 0.25;
const OPPOSED_P = 0.025;

/** Of fewer, one or two degrees of freedom say nothing of blocks. */
const LEAST_PAIRS = 4;

/** @param gain The variance of the ratio unpaired, over that of its pairs. */
export function blocksShow(gain: number, pairs: number): boolean {
  const f = 2 * gain - 1;
  if (pairs < LEAST_PAIRS || !(f > 0)) return true;
  const freedom = pairs - 1;
  // T. Cacoullos, "A relation between t and F-distributions", JASA 1965: of F with equal degrees of freedom.
  const t = Math.sqrt(freedom) / 2 * (Math.sqrt(f) - 1 / Math.sqrt(f));
  return twoSidedP(t, freedom) / 2 < (f > 1 ? ALIKE_P : OPPOSED_P);
}
