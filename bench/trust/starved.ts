/**
 * Eleven ways in which a run measures something other than its target, and the finding that must be reported for each.
 */
import type { FindingCode } from "../../runner/result/findings.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { startNginx } from "../stage/nginx.ts";
import { startWitness } from "../stage/witness.ts";
import { type CpuLimit, limitCpu, startNeighbour } from "./disturbance.ts";
import { generate, onCore, startApi } from "./stage.ts";

/** A measurement, or the reason why there is none. */
export type Seen = Measurement | string;

export interface Starved {
  readonly what: string;
  /** The correct causes. One of them must be reported first. */
  readonly causes: readonly FindingCode[];
  readonly measure: (duration: string) => Promise<Seen>;
}

const CORES = navigator.hardwareConcurrency;
/** Servers run on core 0 and generators on core 1, unless a scenario is about cores. */
const [FIRST, SECOND] = [onCore(0), onCore(1)];

export const STARVED: readonly Starved[] = [
  {
    what: "a neighbour on the target's core",
    causes: ["neighbour"],
    async measure(duration): Promise<Seen> {
      await using api = await startApi(FIRST);
      using _neighbour = startNeighbour(0);
      return await generate(`${api.origin}/fib`, `-c 10 -d ${duration}`, { through: SECOND });
    },
  },
  {
    what: "the target at nice 19 beside a neighbour",
    causes: ["low-priority"],
    async measure(duration): Promise<Seen> {
      await using api = await startApi((command) => FIRST(["nice", "-n", "19", ...command]));
      using _neighbour = startNeighbour(0);
      return await generate(`${api.origin}/fib`, `-c 10 -d ${duration}`, { through: SECOND });
    },
  },
  {
    what: "neighbours on all cores",
    causes: ["neighbour"],
    async measure(duration): Promise<Seen> {
      await using api = await startApi();
      using stack = new DisposableStack();
      for (let core = 0; core < CORES; core++) stack.use(startNeighbour(core));
      return await generate(`${api.origin}/static`, `-c 10 -d ${duration}`);
    },
  },
  {
    what: "the worker stopped 100 ms a second, closed loop",
    causes: ["worker-paused"],
    async measure(duration): Promise<Seen> {
      await using api = await startApi();
      return await generate(`${api.origin}/fib`, `-c 10 -d ${duration}`, { stopped: true });
    },
  },
  {
    what: "the worker stopped 100 ms a second, open loop",
    causes: ["worker-paused"],
    async measure(duration): Promise<Seen> {
      await using api = await startApi();
      const flags = `-r 1000/s -c 200 -d ${duration}`;
      return await generate(`${api.origin}/fib`, flags, { stopped: true });
    },
  },
  {
    what: "50 connections for 600 arrivals a second of 100 ms",
    causes: ["connections"],
    async measure(duration): Promise<Seen> {
      await using witness = await startWitness(100);
      return await generate(witness.origin, `-r 600/s -c 50 -d ${duration}`, { through: SECOND });
    },
  },
  {
    what: "the generator on one core with its target",
    causes: ["shared-cores"],
    async measure(duration): Promise<Seen> {
      await using api = await startApi(FIRST);
      return await generate(`${api.origin}/static`, `-c 10 -d ${duration}`, { through: FIRST });
    },
  },
  {
    what: "the generator in a group whose parent is limited",
    causes: ["throttled"],
    async measure(duration): Promise<Seen> {
      const limit = limitCpu("generator", 0.5);
      if (typeof limit === "string") return limit;
      await using group: CpuLimit = limit;
      await using api = await startApi(FIRST);
      return await generate(`${api.origin}/static`, `-c 10 -d ${duration}`, {
        through: (command) => SECOND(group.within(command)),
      });
    },
  },
  {
    what: "the target in a group whose parent is limited",
    causes: ["target-throttled"],
    async measure(duration): Promise<Seen> {
      const limit = limitCpu("target", 0.5);
      if (typeof limit === "string") return limit;
      await using group: CpuLimit = limit;
      await using api = await startApi((command) => FIRST(group.within(command)));
      return await generate(`${api.origin}/fib`, `-c 10 -d ${duration}`, { through: SECOND });
    },
  },
  {
    what: "more arrivals than one worker can send",
    causes: ["requests-dropped", "generator-busy"],
    async measure(duration): Promise<Seen> {
      await using nginx = await startNginx();
      const flags = `-r 1000000/s -w 1 --driver tcp -d ${duration}`; // nginx outpaces this worker
      return await generate(nginx.origin, flags, { through: SECOND });
    },
  },
  {
    what: "one connection to a server that answers at once",
    causes: ["near-baseline-latency"],
    async measure(duration): Promise<Seen> {
      await using nginx = await startNginx();
      return await generate(nginx.origin, `-c 1 -d ${duration}`, { through: SECOND });
    },
  },
];
