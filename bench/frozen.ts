/**
 * Tests latencies on a server that hangs for a tenth of the load: compares what Plateau reports with what follows from
 * arithmetic. A generator hides the hang if it measures from the actual send, waits for free connections, or ignores
 * requests that are unsent or unanswered at the end.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { medianOf } from "../runner/stats/quantile.ts";
import type { Measurement } from "../runner/result/result.ts";
import { atMost, within } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import {
  expectedLatenciesMs,
  percentileOf,
  trueLatenciesMs,
  workMsOf,
} from "./frozen/arithmetic.ts";
import { interleaved } from "./rounds.ts";
import { loadHere } from "./stage/here.ts";
import { leaveServerCore } from "./stage/programs.ts";
import { startWitness, type Witness } from "./stage/witness.ts";

const RATE_PER_SEC = 1_000;
const ANSWER_MS = 10;
const PERCENTILES = ["50", "90", "95", "99"] as const;
const DRIVERS = ["epoll", "tcp"] as const;
type Driver = typeof DRIVERS[number];

const BAR = within(2, 0.02);
/**
 * A reported percentile must be marked as a lower bound if the true value is more than UNSAID_MS above this multiple of
 * the reported one.
 */
const UNSAID_RATIO = 1.02;
const UNSAID_MS = 2;

/**
 * `from` is where the freeze begins, as a share of the load's duration; the freeze always lasts a tenth of that
 * duration. `connections` is relative to the number of requests that arrive during the freeze.
 */
const CASES = {
  "at the start": { from: 0, connections: 2 },
  "in the middle": { from: 0.5, connections: 2 },
  "past the end": { from: 0.93, connections: 2 },
  "past the end, too few connections": { from: 0.93, connections: 0.1 },
} as const;
type Case = keyof typeof CASES;
const NAMES = Object.keys(CASES) as Case[];

interface Run {
  readonly latency: Measurement["latency"];
  /**
   * The latencies that a report should have, in ascending order: a request that was never sent counts with the time that
   * it had waited when the load ended.
   */
  readonly expectedMs: readonly number[];
  /** The latencies if every request had been sent in the end, in ascending order. */
  readonly trueMs: readonly number[];
  readonly frozenMs: number;
  readonly workMs: number;
}

export const frozen: Bench = {
  about: "latencies of a server that hangs for a second of ten, against arithmetic",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using witness = await startWitness(ANSWER_MS);
    await leaveServerCore();
    const durationMs = short ? 4_000 : 10_000;
    const sections: Section[] = [];
    for (const name of NAMES) {
      const seen = await interleaved(
        DRIVERS,
        rounds,
        (driver) => freeze(witness, driver, { name, durationMs }),
      );
      sections.push(sectionOf(name, durationMs, seen));
    }
    return sections;
  },
};

function sectionOf(name: Case, durationMs: number, seen: Record<Driver, Run[]>): Section {
  const runs = DRIVERS.flatMap((driver) => seen[driver]);
  const frozenMs = medianOf(runs.map(({ frozenMs }) => frozenMs));
  const workUs = medianOf(runs.map(({ workMs }) => workMs)) * 1_000;
  return {
    caption: `Latency of a server that hangs ${name} for a tenth of ${durationMs / 1_000} s`,
    unit: "ms",
    baseline: "arithmetic",
    rows: [
      ...DRIVERS.flatMap((driver) => rowsOf(driver, seen[driver])),
      {
        what: "percentiles that are less than the truth and are no lower bounds",
        samples: [runs.reduce((sum, run) => sum + unsaid(run), 0)],
        bar: atMost(0),
      },
    ],
    notes: [
      `It hung for ${frozenMs.toFixed(1)} ms, and then answered every ${workUs.toFixed(1)} µs.`,
    ],
  };
}

interface Occasion {
  readonly name: Case;
  readonly durationMs: number;
}

/** Measures a load during which the server freezes. */
async function freeze(
  witness: Witness,
  driver: Driver,
  { name, durationMs }: Occasion,
): Promise<Run> {
  const arriving = RATE_PER_SEC * durationMs / 10_000;
  const { from, connections: ratio } = CASES[name];
  const connections = Math.round(ratio * arriving);
  await witness.takeNotes(); // drops notes that are left from the previous run
  // A freeze at the start needs one note before it, so that workMsOf can recognise the pause.
  if (from === 0) await (await fetch(witness.origin)).body?.cancel();
  const load = {
    ...{ kind: "rate", ratePerSec: RATE_PER_SEC, arrivals: "uniform", durationMs } as const,
    ...{ connections, keepAlive: true, timeout: durationMs, workers: 1 },
  };
  const hung = Promise.withResolvers<Hung>();
  const onStart = (atMs: number): void => {
    const plan = { atMs, fromMs: from * durationMs, forMs: durationMs / 10 };
    hang(witness.pid, plan).then(hung.resolve, hung.reject);
  };
  const { latency } = await loadHere({ origin: witness.origin, load, driver }, { onStart });
  const { fromMs, frozenMs } = await hung.promise;
  const notes = await witness.takeNotes();
  const workMs = workMsOf(notes, Math.min(arriving, connections));
  const known = { ratePerSec: RATE_PER_SEC, durationMs, answerMs: ANSWER_MS, connections };
  const all = { ...known, fromMs, frozenMs, workMs };
  const expectedMs = expectedLatenciesMs(all);
  return { latency, expectedMs, trueMs: trueLatenciesMs(all), frozenMs, workMs };
}

interface Hung {
  /** When the server was stopped, in milliseconds since the start of the load. */
  readonly fromMs: number;
  readonly frozenMs: number;
}

/** Stops a process for `forMs`, beginning `fromMs` after the moment `atMs`. */
async function hang(
  pid: number,
  { atMs, fromMs, forMs }: {
    readonly atMs: number;
    readonly fromMs: number;
    readonly forMs: number;
  },
): Promise<Hung> {
  await sleep(Math.max(0, atMs + fromMs - performance.now()));
  Deno.kill(pid, "SIGSTOP");
  const startMs = performance.now();
  try {
    await sleep(forMs);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  return { fromMs: startMs - atMs, frozenMs: performance.now() - startMs };
}

function rowsOf(driver: Driver, runs: readonly Run[]): Row[] {
  return PERCENTILES.map((percentile) => ({
    what: `${driver}, p${percentile}`,
    samples: runs.map(({ latency }) => latency.percentiles[percentile]),
    baseline: medianOf(runs.map(({ expectedMs }) => percentileOf(expectedMs, Number(percentile)))),
    bar: BAR,
  }));
}

function unsaid({ latency: { percentiles, lowerBounds = [] }, trueMs }: Run): number {
  return PERCENTILES.filter((percentile) => {
    const trueValueMs = percentileOf(trueMs, Number(percentile));
    return trueValueMs > percentiles[percentile] * UNSAID_RATIO + UNSAID_MS &&
      !lowerBounds.includes(percentile);
  }).length;
}
