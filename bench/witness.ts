/** Plateau beside a server that counts and times requests itself, with another clock and in another program. */
import { setTimeout as sleep } from "node:timers/promises";
import { medianOf } from "../runner/stats/quantile.ts";
import { atMost, within } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { runPlateau } from "./stage/plateau.ts";
import { startWitness, type Witness } from "./stage/witness.ts";

const ANSWER_MS = 2;
/** The time in which everything that was on its way at the end of a run arrives. */
const SETTLED_MS = 200;
const MAX_OFF_MS = 0.1;

const DRIVERS = ["epoll", "tcp"] as const;
type Driver = typeof DRIVERS[number];

/**
 * The flags of a closed loop, which makes many requests to count; timing is done at a rate that leaves the server idle.
 */
const COUNTED = "-c 50";
const TIMED = "-r 1000/s";

interface Agreement {
  /** The number of requests that only Plateau or only the server has counted. */
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

/** The row over all rounds together: a single wrong request breaks the bar. */
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
