/** Simulates how often `ab --order blocks`, which confirms a difference in a second stage, gives the right verdict. */
import type { Bench, Section } from "./bench.ts";
import { confirmations } from "./statistics/confirm.ts";

export const confirm: Bench = {
  about: "how often `ab --confirm` is right, in simulations",
  rounds: 1, // the seeds are fixed, so another round would give the same figures
  run: ({ short, noise }): Promise<Section[]> =>
    Promise.resolve(confirmations(short ? 50 : 500, noise)),
};
