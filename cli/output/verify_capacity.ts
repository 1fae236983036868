/** The exit code of searches for a capacity: throws the error of whatever kept them from their goal. Pure. */
import { CheckError, InconclusiveError, TargetError, UntrustedError } from "../../base/errors.ts";
import { capacitySentence } from "../../report/subjects/capacity.ts";
import { GLUE } from "../../report/writing/units.ts";
import type { CapacityEnd, RunCapacity } from "../../runner/result/capacity.ts";

interface PlacedSearch {
  /** Of which run; "" where there is one alone. */
  readonly place: string;
  readonly search: RunCapacity;
}

interface Verified {
  /** Whether a search that the generator ended is an error, too. */
  readonly isStrict: boolean;
  /** Whether the output ends with what was found, which the error then does not repeat. */
  readonly isPrinted: boolean;
}

/** The worst of them first. */
export function verifyCapacities(
  searches: readonly PlacedSearch[],
  { isStrict, isPrinted }: Verified,
): void {
  const endedBy = (end: CapacityEnd): string[] =>
    searches.filter(({ search }) => search.end === end).map(({ place, search }) =>
      place + capacitySentence(search).replaceAll(GLUE, " ")
    );
  const shown = (found: readonly string[]): readonly string[] => isPrinted ? [] : found;
  const fell = endedBy("not-recovered");
  if (fell.length > 0) {
    throw new TargetError("Cannot go on: the target did not recover from a trial", shown(fell));
  }
  const nothing = endedBy("nothing-holds");
  if (nothing.length > 0) {
    throw new CheckError("No rate was found at which every rule holds", shown(nothing));
  }
  const late = endedBy("budget");
  if (late.length > 0) {
    throw new InconclusiveError(
      "The budget ended before the interval was narrow enough",
      shown(late),
    );
  }
  const disturbed = endedBy("disturbed");
  if (disturbed.length > 0) {
    throw new InconclusiveError(
      "The machine disturbed one trial after the other",
      shown(disturbed),
    );
  }
  const limited = endedBy("generator");
  if (isStrict && limited.length > 0) {
    throw new UntrustedError("The generator was the limit", shown(limited));
  }
}
