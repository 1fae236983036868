/** Simulates how often gates and comparisons between measuring sessions are right. */
import type { Bench, Section } from "./bench.ts";
import { sessionGates } from "./statistics/sessions.ts";

export const sessions: Bench = {
  about: "how often gates and comparisons between sessions are right, in simulations",
  rounds: 1, // the seeds are fixed, so another round would give the same figures
  run: ({ short, noise }): Promise<Section[]> =>
    Promise.resolve(sessionGates(short ? 30 : 300, noise)),
};
