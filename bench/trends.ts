/**
 * Simulates how many of the changes that `report --fail-on-change` finds over successive results are real, and how many
 * real ones it finds.
 */
import type { Bench, Section } from "./bench.ts";
import { trendGuards } from "./statistics/trends.ts";

export const trends: Bench = {
  about: "how often changes over results are real, and found, in simulations",
  rounds: 1, // the seeds are fixed, so another round would give the same figures
  run: ({ short, noise }): Promise<Section[]> =>
    Promise.resolve(trendGuards(short ? 50 : 300, noise)),
};
