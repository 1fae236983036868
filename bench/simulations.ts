/** How often Plateau's statistics are right, where the truth is known because it is simulated. */
import type { Bench, NoiseOf, Section } from "./bench.ts";
import { advisedInOne, advisedInSeveral } from "./statistics/allocated.ts";
import { plannedChanges } from "./statistics/planned.ts";
import { tailEffects } from "./statistics/tail_effects.ts";
import { PROMISES } from "./statistics/promises.ts";

export const statistics: Bench = {
  about: "how often the statistics are right, in simulations",
  rounds: 1, // the seeds are fixed
  run: ({ noise }): Promise<Section[]> =>
    Promise.resolve(
      noise === undefined ? PROMISES.map((promise) => promise()) : underNoise(noise),
    ),
};

/** What a run, and a request, may do to plans and to what moves p99. */
function underNoise(noise: NoiseOf): Section[] {
  return [tailEffects(noise), plannedChanges(noise), advisedInOne(noise), advisedInSeveral(noise)];
}
