/** How often the two stages of `ab --order blocks` are right, in simulations. */
import type { Bench, Section } from "./bench.ts";
import { confirmations } from "./statistics/confirm.ts";

export const confirm: Bench = {
  about: "how often `ab --confirm` is right, in simulations",
  rounds: 1, // one round, because the seeds are fixed
  run: ({ short, noise }): Promise<Section[]> =>
    Promise.resolve(confirmations(short ? 50 : 500, noise)),
};
