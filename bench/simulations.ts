/** How often Plateau's statistics are right, where the truth is known because it is simulated. */
import type { Bench, Section } from "./bench.ts";
import { PROMISES } from "./statistics/promises.ts";

export const statistics: Bench = {
  about: "how often the statistics are right, in simulations",
  rounds: 1, // the seeds are fixed
  run: (): Promise<Section[]> => Promise.resolve(PROMISES.map((promise) => promise())),
};
