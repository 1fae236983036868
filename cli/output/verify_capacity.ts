/** The exit code of searches for a capacity: throws the error of whatever kept them from their goal. Pure. */
import { CheckError, InconclusiveError, TargetError, UntrustedError } from "../../base/errors.ts";
import { capacitySentence } from "../../report/subjects/capacity.ts";
import { GLUE } from "../../report/writing/units.ts";
import type { CapacityEnd, RunCapacity } from "../../runner/result/capacity.ts";

interface PlacedSearch {
  /** Names the run; "" if there is only one. */
  readonly place: string;
  readonly search: RunCapacity;
}

interface Verified {
  /** Whether a search that the generator ended is an error, too. */
  readonly isStrict: boolean;
  /** Whether the output ends with what was found, which the error then does not repeat. */
  readonly isPrinted: boolean;
}

/** The worst first. */
const ERRORS = [
  ["not-recovered", TargetError, "Cannot go on: the target did not recover from a trial"],
  ["nothing-holds", CheckError, "No rate was found at which every rule holds"],
  ["budget", InconclusiveError, "The budget ended before the interval was narrow enough"],
  ["unsustained", InconclusiveError, "The target did not sustain what shorter trials found"],
  ["disturbed", InconclusiveError, "The machine disturbed one trial after the other"],
  ["generator", UntrustedError, "The generator was the limit"],
] as const satisfies readonly (readonly [CapacityEnd, unknown, string])[];

export function verifyCapacities(
  searches: readonly PlacedSearch[],
  { isStrict, isPrinted }: Verified,
): void {
  for (const [end, SearchError, message] of ERRORS) {
    const ended = searches.filter(({ search }) => search.end === end);
    if (ended.length === 0 || end === "generator" && !isStrict) continue;
    const found = ended.map(({ place, search }) =>
      place + capacitySentence(search).replaceAll(GLUE, " ")
    );
    throw new SearchError(message, isPrinted ? [] : found);
  }
}
