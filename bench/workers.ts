/**
 * Tests loads with several workers: what a request costs, compared with as many separate processes of one worker each;
 * how evenly the workers share the load; whether they stay punctual while the main isolate is blocked ("held"); and, if
 * there are enough cores, how many more requests they complete than a single worker.
 */
import type { SoFarReport } from "../runner/load/worker/messages.ts";
import type { Measurement } from "../runner/result/result.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { atLeastTimes, type Bar, within } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { loadHere } from "./stage/here.ts";
import { startNginx } from "./stage/nginx.ts";
import { runPlateau } from "./stage/plateau.ts";

const CORES = navigator.hardwareConcurrency;
const WORKERS = 2;
/** The number of connections per worker. */
const CONNECTIONS = 50;
const RATE_PER_SEC = 10_000;
/**
 * The least number of cores for measuring how the load scales. Half of the cores generate it, the other half serve it.
 */
const LEAST_CORES = 4;

const ALIKE: Bar = within(0, 0.05);
const EVEN: Bar = within(0.05);
/**
 * The bar for the p99 of the lag: the most milliseconds by which it may differ between a held and a free main isolate.
 */
const AS_PUNCTUAL: Bar = within(0.1);
/** How long before the end of a load the main isolate is no longer held, in milliseconds. */
const LET_GO_MS = 500;

interface Run {
  readonly measurement: Measurement;
  /** For each worker, its report at the end of its last interval. */
  readonly reports: readonly SoFarReport[];
}

interface Wish {
  readonly workers?: number;
  /** The rate in requests per second; absent: as fast as possible. */
  readonly ratePerSec?: number;
  /** Whether the main isolate, in which this code runs, is held (blocked) from the start of the load. */
  readonly isHeld?: boolean;
}

/** Runs one load on a server, from this process. */
type Start = (wish: Wish) => Promise<Run>;

export const workers: Bench = {
  about: "several workers: their cost, their shares, and whether they wait for the main isolate",
  rounds: 5,
  async run({ rounds, short }): Promise<Section[]> {
    const durationMs = short ? 2_000 : 5_000;
    const { scaling, note } = await scalingSection(rounds, durationMs);
    await using nginx = await startNginx();
    const start: Start = (wish) => load(nginx.origin, durationMs, wish);
    const apart = (): Promise<number> => cpuUsApart(nginx.origin, durationMs);
    const free = await interleaved(
      ["closed", "rate"],
      rounds,
      (name) => start(name === "closed" ? {} : { ratePerSec: RATE_PER_SEC }),
    );
    return [
      await costSection(rounds, start, apart),
      sharesSection(free),
      await heldSection(rounds, start),
      ...scaling,
    ].map((section, i) => i === 0 ? { ...section, notes: note } : section);
  },
};

async function load(origin: string, durationMs: number, wish: Wish): Promise<Run> {
  const { workers = WORKERS, ratePerSec, isHeld = false } = wish;
  const reports: SoFarReport[] = [];
  const common = { connections: workers * CONNECTIONS, keepAlive: true, timeout: 10_000 };
  const pace = ratePerSec === undefined
    ? { kind: "closed", pipeline: 1, requests: null } as const
    : { kind: "rate", ratePerSec, arrivals: "uniform" } as const;
  const measurement = await loadHere({
    origin,
    load: { ...common, ...pace, workers, durationMs },
    driver: "auto",
  }, {
    // The isolate is held only from a microtask on, so that it first finishes starting the workers.
    onStart: () => queueMicrotask(() => isHeld && hold(durationMs - LET_GO_MS)),
    onSoFar: (worker, report) => void (reports[worker] = report),
  });
  return { measurement, reports };
}

function hold(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function costSection(
  rounds: number,
  start: Start,
  apart: () => Promise<number>,
): Promise<Section> {
  const measures = {
    together: async () => cpuUsOf(await start({})),
    apart,
    alone: async () => cpuUsOf(await start({ workers: 1 })),
  };
  const names = ["together", "apart", "alone"] as const;
  const cpuUs = await interleaved(names, rounds, (name) => measures[name]());
  return {
    caption: "CPU time of a request, closed loop",
    unit: "µs",
    baseline: "processes",
    rows: [
      {
        what: `${WORKERS} workers of one process`,
        samples: cpuUs.together,
        baseline: medianOf(cpuUs.apart),
        bar: ALIKE,
      },
      { what: `${WORKERS} processes of one worker`, samples: cpuUs.apart },
      { what: "one worker alone", samples: cpuUs.alone },
    ],
  };
}

function cpuUsOf({ reports }: Run): number {
  const cpuUs = reports.reduce((sum, { time }) => sum + time.cpuUs, 0);
  return cpuUs / reports.reduce((sum, { totals }) => sum + totals.completed, 0);
}

/** The CPU time per request, in microseconds, of separate processes that run at the same time with one worker each. */
async function cpuUsApart(origin: string, durationMs: number): Promise<number> {
  const flags = `-w 1 -c ${CONNECTIONS} -d ${durationMs}ms`.split(" ");
  const runs = await Promise.all(
    Array.from({ length: WORKERS }, () => runPlateau(`${origin}/`, flags, "anywhere")),
  );
  const cpuUs = runs.reduce((sum, { generator, elapsedS }) => sum + generator.cpu * elapsedS, 0);
  const completed = runs.reduce((sum, { requests }) => sum + requests.completed, 0);
  return cpuUs * 1e6 / completed;
}

function sharesSection(runs: Record<"closed" | "rate", readonly Run[]>): Section {
  const row = (what: string, seen: readonly Run[]): Row => ({
    what,
    samples: seen.map(largestShareOf),
    baseline: 1,
    bar: EVEN,
  });
  return {
    caption: `The largest share of ${WORKERS} workers`,
    unit: "× an even one",
    rows: [
      row("closed loop", runs.closed),
      row(`at ${RATE_PER_SEC} arrivals a second`, runs.rate),
    ],
  };
}

function largestShareOf({ reports }: Run): number {
  const completed = reports.map(({ totals }) => totals.completed);
  const sum = completed.reduce((all, one) => all + one, 0);
  return Math.max(...completed) * completed.length / sum;
}

async function heldSection(rounds: number, start: Start): Promise<Section> {
  const names = ["free", "held"] as const;
  const closed = await interleaved(names, rounds, (name) => start({ isHeld: name === "held" }));
  const rated = await interleaved(
    names,
    rounds,
    (name) => start({ isHeld: name === "held", ratePerSec: RATE_PER_SEC }),
  );
  const rates = (runs: readonly Run[]): number[] => runs.map(({ measurement }) => measurement.rate);
  const lags = (runs: readonly Run[]): number[] =>
    runs.map(({ measurement: { generator } }) => generator.lag.p99);
  return {
    caption: `${WORKERS} workers while the main isolate is held`,
    unit: "1/s and ms",
    baseline: "free",
    rows: [
      {
        what: "requests, closed loop",
        samples: rates(closed.held),
        baseline: medianOf(rates(closed.free)),
        bar: ALIKE,
      },
      {
        what: `lag p99 at ${RATE_PER_SEC} arrivals a second`,
        samples: lags(rated.held),
        baseline: medianOf(lags(rated.free)),
        bar: AS_PUNCTUAL,
      },
    ],
  };
}

/**
 * Compares the requests per second of each of N workers with those of a single worker, where N is half the number of
 * cores. The server has N workers in both cases.
 */
async function scalingSection(
  rounds: number,
  durationMs: number,
): Promise<{ readonly scaling: Section[]; readonly note: string[] }> {
  if (CORES < LEAST_CORES) {
    const note = `Scaling is not measured: ${CORES} cores are too few for workers and servers.`;
    return { scaling: [], note: [note] };
  }
  const most = Math.floor(CORES / 2);
  await using nginx = await startNginx(most);
  const names = ["one", "all"] as const;
  const seen = await interleaved(names, rounds, async (name) => {
    const run = await load(nginx.origin, durationMs, { workers: name === "one" ? 1 : most });
    return run.measurement.rate;
  });
  const row = {
    what: `${most} workers`,
    samples: seen.all.map((rate) => rate / most),
    baseline: medianOf(seen.one),
    bar: atLeastTimes(0.95),
  };
  const caption = "Requests of each worker, closed loop";
  return {
    scaling: [{ caption, unit: "1/s", baseline: "one worker", rows: [row] }],
    note: [],
  };
}
