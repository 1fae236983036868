/** The smallest step of a clock: times that differ by less can't be told apart. */

const STEPS = 20;
const MOST_READS = 100_000;

/**
 * Microseconds; reading the clock takes time too, so a fine one shows that. Infinity for a clock that
 * stands still.
 */
export function stepUsOf(clock: () => number): number {
  let smallestUs = Infinity;
  let lastUs = clock();
  for (let reads = 0, steps = 0; reads < MOST_READS && steps < STEPS; reads++) {
    const nowUs = clock();
    if (nowUs > lastUs) {
      smallestUs = Math.min(smallestUs, nowUs - lastUs);
      steps++;
    }
    lastUs = nowUs;
  }
  return smallestUs;
}
