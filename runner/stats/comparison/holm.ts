/**
 * p-values raised for being many, so that the chance of any false alarm among them stays what each one
 * says (S. Holm, "A simple sequentially rejective multiple test procedure", 1979): the least is multiplied
 * by their number, the next by one fewer, and none may fall below the one before.
 *
 * @returns In the order given, at most 1.
 */
export function holm(pValues: readonly number[]): number[] {
  const ascending = [...pValues.keys()].sort((a, b) => pValues[a] - pValues[b]);
  const adjusted = new Array<number>(pValues.length);
  let least = 0;
  ascending.forEach((index, place) => {
    least = Math.max(least, Math.min(1, pValues[index] * (pValues.length - place)));
    adjusted[index] = least;
  });
  return adjusted;
}

/** The same of a family in which some hypotheses could not be tested: null stays null and does not count. */
export function holmOfKnown(pValues: readonly (number | null)[]): (number | null)[] {
  const raised = holm(pValues.filter((p) => p !== null));
  let place = 0;
  return pValues.map((p) => p === null ? null : raised[place++]);
}
