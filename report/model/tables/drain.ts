/** The wait after the deadline for requests in flight, while nothing new is sent. */

/** A wait shorter than this share of the run explains no figure of it. */
const WORTH_A_WORD = 0.01;

/** @param durationS Of the wait. @param elapsedS Of the run, up to its deadline. */
export function isLongDrain(durationS: number, elapsedS: number): boolean {
  return durationS > WORTH_A_WORD * elapsedS;
}
