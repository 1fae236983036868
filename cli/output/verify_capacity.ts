/** Throws the error that determines the exit code if a capacity search did not reach its goal. Pure. */
import { CheckError, InconclusiveError, TargetError, UntrustedError } from "../../base/errors.ts";
import { capacitySentence } from "../../report/subjects/capacity.ts";
import { GLUE } from "../../report/writing/units.ts";
import type { CapacityEnd, RunCapacity } from "../../runner/result/capacity.ts";

interface PlacedSearch {
  /** Text that names the run; "" if there is only one. */
  readonly place: string;
  readonly search: RunCapacity;
}

interface Verified {
  /** Whether a search that ended because the generator could not send more also counts as an error. */
  readonly isStrict: boolean;
  /** Whether the output ends with the result, so that the error need not repeat it. */
  readonly isPrinted: boolean;
}

/**
 * Ways in which a search can end short of its goal, worst first, each with its error and message. The message does not
 * say why a capacity is inconclusive, because the sentence about the capacity does.
 */
const ERRORS = [
  [
    ["not-recovered"],
    TargetError,
    "Cannot continue the search: the target did not recover from a trial",
  ],
  [["nothing-holds"], CheckError, "No rate was found at which every rule holds"],
  [["budget", "unsustained", "disturbed"], InconclusiveError, "The capacity is inconclusive"],
  [["generator"], UntrustedError, "The generator was the limit"],
] as const satisfies readonly (readonly [readonly CapacityEnd[], unknown, string])[];

export function verifyCapacities(
  searches: readonly PlacedSearch[],
  { isStrict, isPrinted }: Verified,
): void {
  for (const [ends, SearchError, message] of ERRORS) {
    const ended = searches.filter(({ search }) => ends.some((end) => end === search.end));
    if (ended.length === 0 || SearchError === UntrustedError && !isStrict) continue;
    const found = ended.map(({ place, search }) =>
      place + capacitySentence(search).replaceAll(GLUE, " ")
    );
    throw new SearchError(message, isPrinted ? [] : found);
  }
}
