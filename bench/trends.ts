/** How many of the changes that `report --fail-on-change` finds over results are real, in simulations. */
import type { Bench, Section } from "./bench.ts";
import { trendGuards } from "./statistics/trends.ts";

export const trends: Bench = {
  about: "how often changes over results are real, and found, in simulations",
  rounds: 1, // one round, because the seeds are fixed
  run: ({ short, noise }): Promise<Section[]> =>
    Promise.resolve(trendGuards(short ? 50 : 300, noise)),
};
