/** How often Plateau's statistics are right, in simulations whose truth is known. */
import type { Bench, NoiseOf, Section } from "./bench.ts";
import { advisedInOne, advisedInSeveral } from "./statistics/allocated.ts";
import { plannedChanges } from "./statistics/planned.ts";
import { tailEffects } from "./statistics/tail_effects.ts";
import { PROMISES } from "./statistics/promises.ts";

export const statistics: Bench = {
  about: "how often the statistics are right, in simulations",
  rounds: 1, // one round, because the seeds are fixed
  run: ({ noise }): Promise<Section[]> =>
    Promise.resolve(
      noise === undefined ? PROMISES.map((promise) => promise()) : underNoise(noise),
    ),
};

/** The effect of noise of runs and of requests on plans and on effects on p99. */
function underNoise(noise: NoiseOf): Section[] {
  return [tailEffects(noise), plannedChanges(noise), advisedInOne(noise), advisedInSeveral(noise)];
}
