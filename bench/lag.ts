/**
 * How late requests are sent: the send minus the moment at which it was due, on one worker. At 20,000 arrivals a
 * second, of which nginx alone would take several times as many; and at half of the rate that a bare C loop reaches.
 */
import { join } from "node:path";
import { formatCount } from "../report/model/numbers/units.ts";
import type { Measurement } from "../runner/result/result.ts";
import { Histogram, type SparseHistogram } from "../runner/stats/histogram/histogram.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { atMost, type Bar } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { contenders } from "./generators/contenders.ts";
import { interleaved } from "./rounds.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { loadHere } from "./stage/here.ts";
import { startNginx } from "./stage/nginx.ts";
import { compile, isInstalled, placed, start } from "./stage/programs.ts";

const DRIVERS = ["epoll", "tcp"] as const;
type Driver = typeof DRIVERS[number];
/** Milliseconds of p99. */
const BARS: Record<Driver, Bar> = { epoll: atMost(0.1), tcp: atMost(0.5) };
const HALF_BAR = atMost(1);
/** A worker that shares its only core with the threads that compile and clean up for it waits for them. */
const PLACING = "nginx is kept on one core; the generator is free, as it is where nobody pins it.";

const FLOOR = new URL("generators/floor.c", import.meta.url);
const CONNECTIONS = 50;
const FLOOR_SECONDS = 3;
/** So many are shown each on its own, from the first on. */
const FIRST_INTERVALS = 3;

interface Paced {
  readonly measurement: Measurement;
  /** p99 of each interval, milliseconds. */
  readonly intervalP99s: readonly number[];
}

export const lag: Bench = {
  about:
    "how late requests are sent at 20,000 arrivals a second, and at half of what a bare loop makes",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const durationMs = short ? 2_000 : 10_000;
    const at = (ratePerSec: number, driver: Driver): Promise<Paced> =>
      pace({ origin: nginx.origin, ratePerSec, driver, durationMs });
    const seen = await interleaved(DRIVERS, rounds, (driver) => at(20_000, driver));
    const steady: Section = {
      caption: "Lag at 20,000 arrivals a second on one worker",
      unit: "ms",
      rows: DRIVERS.flatMap((driver) => rowsOf(driver, seen[driver], BARS[driver])),
      notes: [PLACING, ...DRIVERS.map((driver) => effortNote(driver, seen[driver]))],
    };
    return [steady, await halfSection(nginx.origin, rounds, (rate) => at(rate, "epoll"))];
  },
};

async function halfSection(
  origin: string,
  rounds: number,
  at: (ratePerSec: number) => Promise<Paced>,
): Promise<Section> {
  const caption = "Lag at half of the rate of a bare C loop, on one worker";
  if (!isInstalled("cc")) return { caption, unit: "ms", rows: [], notes: ["There is no cc."] };
  using folder = temporaryFolder();
  const floor = join(folder.path, "floor");
  await compile(FLOOR, floor);
  const rates: number[] = [];
  const { epoll } = await interleaved(["epoll"], rounds, async () => {
    const { command, ratePerSec } = contenders.floor;
    const task = { url: origin, connections: CONNECTIONS, seconds: FLOOR_SECONDS, floor };
    rates.push(ratePerSec(await start(placed("generator", command(task))).output));
    return await at(Math.floor(rates[rates.length - 1] / 2));
  });
  const half = formatCount(Math.floor(medianOf(rates) / 2));
  const note =
    `In the median ${half} arrivals a second: half of floor.c, measured before each run.`;
  return {
    caption,
    unit: "ms",
    rows: rowsOf("epoll", epoll, HALF_BAR),
    notes: [note, effortNote("epoll", epoll)],
  };
}

interface Pace {
  readonly origin: string;
  readonly ratePerSec: number;
  readonly driver: Driver;
  readonly durationMs: number;
}

async function pace({ origin, ratePerSec, driver, durationMs }: Pace): Promise<Paced> {
  const load = {
    ...{ kind: "rate", ratePerSec, arrivals: "uniform", durationMs, workers: 1 } as const,
    ...{ connections: CONNECTIONS, keepAlive: true, timeoutMs: 10_000 },
  };
  const soFar: SparseHistogram[] = [];
  const onSoFar = (_: number, { totals }: { totals: { lag: SparseHistogram } }): void =>
    void soFar.push(totals.lag);
  const measurement = await loadHere({ origin, load, driver }, { onSoFar });
  return { measurement, intervalP99s: p99sBetween(soFar) };
}

/** p99 of what came to each of the histograms since the one before it, milliseconds. */
export function p99sBetween(soFar: readonly SparseHistogram[]): number[] {
  return soFar.map((now, i) => {
    const fresh = new Histogram();
    fresh.addSparse(now);
    if (i > 0) fresh.addSparse(negated(soFar[i - 1]));
    return fresh.valueAtPercentile(99) / 1_000;
  });
}

function negated(part: SparseHistogram): SparseHistogram {
  return { ...part, counts: part.counts.map((count) => -count), count: -part.count };
}

function rowsOf(driver: Driver, runs: readonly Paced[], bar: Bar): Row[] {
  const whole = (["p50", "p99", "max"] as const).map((figure): Row => ({
    what: `${driver}, ${figure}`,
    samples: runs.map(({ measurement: { generator } }) => generator.lag[figure]),
    bar: figure === "p99" ? bar : undefined,
  }));
  const first = Array.from({ length: FIRST_INTERVALS }, (_, i): Row => ({
    what: `${driver}, p99 of interval ${i + 1}`,
    samples: runs.map(({ intervalP99s }) => intervalP99s[i]),
    bar: i === 0 ? bar : undefined,
  }));
  const later = {
    what: `${driver}, p99 of the later intervals, their median`,
    samples: runs.map(({ intervalP99s }) => medianOf(intervalP99s.slice(FIRST_INTERVALS))),
  };
  return [...whole, ...first, later];
}

function effortNote(driver: Driver, runs: readonly Paced[]): string {
  const cpu = Math.max(...runs.map(({ measurement: { generator } }) => generator.cpu));
  const unsent = runs.reduce(
    (sum, { measurement: { requests } }) => sum + requests.dropped + requests.failed,
    0,
  );
  return `${driver}: at most ${
    (cpu * 100).toFixed(0)
  } % of a core; ${unsent} requests dropped or failed.`;
}
