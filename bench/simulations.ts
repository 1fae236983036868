/** Tests how often Plateau's statistics are right, in simulations whose truth is known. */
import type { Bench, NoiseOf, Section } from "./bench.ts";
import { advisedInOne, advisedInSeveral } from "./statistics/allocated.ts";
import { plannedChanges } from "./statistics/planned.ts";
import { tailEffects } from "./statistics/tail_effects.ts";
import { PROMISES } from "./statistics/promises.ts";

export const statistics: Bench = {
  about: "how often the statistics are right, in simulations",
  rounds: 1, // the seeds are fixed, so another round would give the same figures
  run: ({ noise }): Promise<Section[]> =>
    Promise.resolve(
      noise === undefined ? PROMISES.map((promise) => promise()) : underNoise(noise),
    ),
};

/** Shows how noise that the user supplies, of runs or of requests, affects planned runs and effects on p99. */
function underNoise(noise: NoiseOf): Section[] {
  return [tailEffects(noise), plannedChanges(noise), advisedInOne(noise), advisedInSeveral(noise)];
}
