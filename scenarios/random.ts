/** Random choices that a seed repeats. */
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A random whole number from `least` to `most`, each as likely as the other. */
export type Draw = (least: number, most: number) => number;

export function drawBy(seed: number): Draw {
  const random = xoroshiro128plus(seed);
  // Where it starts, neighbouring seeds draw alike, and arrivals are paced by the same seed.
  random.jump();
  return (least, most) => uniformInt(random, least, most);
}

/** Fisher and Yates' shuffle. */
export function shuffled<T>(items: readonly T[], draw: Draw): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = draw(0, last);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
