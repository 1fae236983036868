/** Messages of a length that somebody reads, however much was wrong. Pure. */
import { LIMITS } from "./limits.ts";

export function shortened(lines: readonly string[]): string[] {
  const shown = lines.slice(0, LIMITS.problems.most).map((line) =>
    line.length <= LIMITS.problemText.most ? line : `${line.slice(0, LIMITS.problemText.most - 1)}…`
  );
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `and ${left.toLocaleString("en")} lines more`];
}
