/** The description of a load in the result file. Pure. */
import { optionsOf } from "../../base/load_options.ts";
import type { PlannedLoad } from "../../scenarios/load/load.ts";
import type { Measurement } from "../result/result.ts";

/**
 * Leaves out the rate of a search for a capacity, which is known only at its end.
 * @param seed Seed of the arrivals.
 */
export function describeLoad(load: PlannedLoad, seed: number): Measurement["load"] {
  const common = { connections: load.connections, ...optionsOf(load) };
  switch (load.kind) {
    case "closed": {
      const durationS = load.durationMs === null ? null : load.durationMs / 1_000;
      const { kind, pipeline, requests } = load;
      const stages = load.stages?.map(({ durationUs, from, to }) => ({
        durationS: durationUs / 1e6,
        from,
        to,
      }));
      return { kind, ...common, pipeline, durationS, requests, ...stages && { stages } };
    }
    case "rate": {
      const { kind, arrivals, ratePerSec: rate, durationMs } = load;
      return { kind, ...common, arrivals, seed, rate, durationS: durationMs / 1_000 };
    }
    case "capacity": {
      const { kind, arrivals, share, goal: { within, budget, trial: [, longMs] } } = load;
      const search = { within: [...within], budgetS: budget / 1_000, durationS: longMs / 1_000 };
      const last = { rate: null, ...share !== 1 && { share } };
      return { kind, ...common, arrivals, seed, ...last, ...search };
    }
    case "phases": {
      const { kind, arrivals, pool } = load;
      const phases = load.phases.map(({ durationUs, fromPerSec, toPerSec }) => ({
        durationS: durationUs / 1e6,
        from: fromPerSec,
        to: toPerSec,
      }));
      return { kind, ...common, arrivals, seed, phases, pool };
    }
  }
}
