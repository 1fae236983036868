/**
 * A server that hangs for a second of ten: the latencies that Plateau reports against those that
 * arithmetic gives. Whoever times from the actual send, or waits for free connections, hides it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { medianOf } from "../runner/stats/quantile.ts";
import type { Measurement } from "../runner/result.ts";
import { within } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { expectedLatenciesMs, percentileOf, workMsOf } from "./frozen/arithmetic.ts";
import { interleaved } from "./rounds.ts";
import { runPlateau } from "./stage/plateau.ts";
import { startWitness, type Witness } from "./stage/witness.ts";

const RATE_PER_SEC = 1_000;
const ANSWER_MS = 10;
const PERCENTILES = ["50", "90", "95", "99"] as const;
const DRIVERS = ["epoll", "tcp"] as const;
type Driver = typeof DRIVERS[number];

const BAR = within(2, 0.02);

interface Run {
  readonly measuredMs: Measurement["latency"]["percentiles"];
  /** Every latency, ascending. */
  readonly expectedMs: readonly number[];
  readonly frozenMs: number;
  readonly workMs: number;
}

export const frozen: Bench = {
  about: "latencies of a server that hangs for a second of ten, against arithmetic",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using witness = await startWitness(ANSWER_MS);
    const durationMs = short ? 4_000 : 10_000;
    const seen = await interleaved(
      DRIVERS,
      rounds,
      (driver) => freeze(witness, driver, durationMs),
    );
    const runs = DRIVERS.flatMap((driver) => seen[driver]);
    const frozenMs = medianOf(runs.map(({ frozenMs }) => frozenMs));
    const workUs = medianOf(runs.map(({ workMs }) => workMs)) * 1_000;
    return [{
      caption: `Latency of a server that hangs for a tenth of ${durationMs / 1_000} s`,
      unit: "ms",
      baseline: "arithmetic",
      rows: DRIVERS.flatMap((driver) => rowsOf(driver, seen[driver])),
      notes: [
        `It hung for ${frozenMs.toFixed(1)} ms, and then answered every ${workUs.toFixed(1)} µs.`,
      ],
    }];
  },
};

/** A tenth of the time, in the middle; the connections are ample for all that arrives meanwhile. */
async function freeze(witness: Witness, driver: Driver, durationMs: number): Promise<Run> {
  const arriving = RATE_PER_SEC * durationMs / 10_000;
  const flags = `-r ${RATE_PER_SEC}/s -c ${2 * arriving} -d ${durationMs}ms --driver ${driver}`;
  await witness.takeNotes(); // of the end of the run before
  const [measurement, frozenMs] = await Promise.all([
    runPlateau(`${witness.origin}/`, flags.split(" ")),
    stop(witness.pid, durationMs / 2, durationMs / 10),
  ]);
  const workMs = workMsOf(await witness.takeNotes(), arriving);
  const expectedMs = expectedLatenciesMs({
    ratePerSec: RATE_PER_SEC,
    durationMs,
    answerMs: ANSWER_MS,
    fromMs: durationMs / 2,
    frozenMs,
    workMs,
  });
  return { measuredMs: measurement.latency.percentiles, expectedMs, frozenMs, workMs };
}

/** Stops a process for a while, after a while; gives how long it was, in milliseconds. */
async function stop(pid: number, afterMs: number, forMs: number): Promise<number> {
  await sleep(afterMs);
  Deno.kill(pid, "SIGSTOP");
  const startMs = performance.now();
  try {
    await sleep(forMs);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  return performance.now() - startMs;
}

function rowsOf(driver: Driver, runs: readonly Run[]): Row[] {
  return PERCENTILES.map((percentile) => ({
    what: `${driver}, p${percentile}`,
    samples: runs.map(({ measuredMs }) => measuredMs[percentile]),
    baseline: medianOf(runs.map(({ expectedMs }) => percentileOf(expectedMs, Number(percentile)))),
    bar: BAR,
  }));
}
