/** Compares Plateau's counts and times with those of a server that is a separate program with its own clock. */
import { setTimeout as sleep } from "node:timers/promises";
import { medianOf } from "../runner/stats/quantile.ts";
import { atMost, within } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { runPlateau } from "./stage/plateau.ts";
import { startWitness, type Witness } from "./stage/witness.ts";

const ANSWER_MS = 2;
/** How long to wait until everything that was in flight at the end of a run has arrived. */
const SETTLED_MS = 200;
const MAX_OFF_MS = 0.1;

const DRIVERS = ["epoll", "tcp"] as const;
type Driver = typeof DRIVERS[number];

/**
 * The flags of the two loads. A closed loop makes many requests, for counting. A fixed rate leaves the server mostly
 * idle, for timing.
 */
const COUNTED = "-c 50";
const TIMED = "-r 1000/s";

interface Agreement {
  /** The difference between the numbers of requests that Plateau and the server counted. */
  readonly miscounted: number;
  readonly p50Ms: number;
  readonly witnessP50Ms: number;
}

export const witness: Bench = {
  about: "counts and times beside a server's own",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using server = await startWitness(ANSWER_MS);
    const ask = (load: string) => (driver: Driver): Promise<Agreement> =>
      compare(server, `${load} -d ${short ? 1 : 5}s --driver ${driver}`);
    const counted = await interleaved(DRIVERS, rounds, ask(COUNTED));
    const timed = await interleaved(DRIVERS, rounds, ask(TIMED));
    return [
      {
        caption: "Requests that only Plateau or only the witness has counted",
        unit: "count",
        rows: DRIVERS.flatMap((driver) => [
          countRow(`${driver}, 50 connections`, counted[driver]),
          countRow(`${driver}, 1,000 a second`, timed[driver]),
        ]),
      },
      {
        caption: "Service time at 1,000 requests a second, p50",
        unit: "ms",
        baseline: "witness",
        rows: DRIVERS.map((driver) => timeRow(driver, timed[driver])),
      },
    ];
  },
};

async function compare(server: Witness, flags: string): Promise<Agreement> {
  const { requests, service } = await runPlateau(`${server.origin}/`, flags.split(" "));
  await sleep(SETTLED_MS);
  const notes = await server.takeNotes();
  return {
    miscounted: Math.abs(requests.due - requests.dropped - notes.length),
    p50Ms: service.percentiles["50"],
    witnessP50Ms: medianOf(notes.map(({ readMs, answeredMs }) => answeredMs - readMs)),
  };
}

/** One row over all rounds, because a single request that is miscounted breaks the bar. */
function countRow(what: string, runs: readonly Agreement[]): Row {
  const miscounted = runs.reduce((sum, run) => sum + run.miscounted, 0);
  return { what, samples: [miscounted], bar: atMost(0) };
}

function timeRow(what: string, runs: readonly Agreement[]): Row {
  return {
    what,
    samples: runs.map(({ p50Ms }) => p50Ms),
    baseline: medianOf(runs.map(({ witnessP50Ms }) => witnessP50Ms)),
    bar: within(MAX_OFF_MS),
  };
}
