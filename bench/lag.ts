/**
 * Measures how late requests are sent, on one worker: the time from the due moment to the send. There are two rates:
 * 20,000 arrivals a second, which is a fraction of what nginx can take, and half the rate that a bare C loop
 * (`generators/floor.c`) reaches. For comparison, the same schedules are also sent by another bare C loop
 * (`generators/paced.c`), in runs that alternate with Plateau's; the lag of that loop is the machine's own.
 */
import { join } from "node:path";
import { formatCount } from "../report/writing/units.ts";
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
const BARE = "bare loop";
type Sender = Driver | typeof BARE;
/** Bars for the p99 of the lag, in milliseconds. */
const BARS: Partial<Record<Sender, Bar>> = { epoll: atMost(0.1), tcp: atMost(0.5) };
const HALF_BARS: Partial<Record<Sender, Bar>> = { epoll: atMost(1) };
/**
 * The note on cores below the tables. The generator is not pinned to one core, because a worker there would have to
 * wait while its own threads compile code and collect garbage.
 */
const PLACING = "nginx is kept on one core; the generator is free, as it is where nobody pins it.";

const FLOOR = new URL("generators/floor.c", import.meta.url);
const PACED = new URL("generators/paced.c", import.meta.url);
const CONNECTIONS = 50;
const FLOOR_SECONDS = 3;
/** The number of intervals at the start of a run that are shown one by one. */
const FIRST_INTERVALS = 3;

interface Paced {
  /** The lag over the whole run, in milliseconds. */
  readonly lag: Readonly<Record<"p50" | "p99" | "max", number>>;
  /** The p99 of the lag in each interval, in milliseconds. */
  readonly intervalP99s: readonly number[];
  /** Null for the bare loop, which measures nothing but its lag. */
  readonly measurement: Measurement | null;
}

export const lag: Bench = {
  about:
    "how late requests are sent at 20,000 arrivals a second, and at half of what a bare loop makes",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    using folder = temporaryFolder();
    const programs = await compiled(folder.path);
    const seconds = short ? 2 : 10;
    const at = (ratePerSec: number, sender: Sender): Promise<Paced> => {
      const pace = { origin: nginx.origin, ratePerSec, seconds };
      return sender === BARE ? paceBare(pace, programs?.paced ?? "") : paceBy(sender, pace);
    };
    const there: readonly Sender[] = programs === null ? DRIVERS : [...DRIVERS, BARE];
    const seen = await interleaved(there, rounds, (sender) => at(20_000, sender));
    const steady: Section = {
      caption: "Lag at 20,000 arrivals a second on one worker",
      unit: "ms",
      rows: there.flatMap((sender) => rowsOf(sender, seen[sender], BARS[sender])),
      notes: [PLACING, ...there.flatMap((sender) => effortNotes(sender, seen[sender]))],
    };
    return [steady, await halfSection(nginx.origin, rounds, programs?.floor, at)];
  },
};

/** The paths of the compiled programs; null if there is no C compiler. */
async function compiled(folder: string): Promise<Record<"floor" | "paced", string> | null> {
  if (!isInstalled("cc")) return null;
  const programs = { floor: join(folder, "floor"), paced: join(folder, "paced") };
  await compile(FLOOR, programs.floor);
  await compile(PACED, programs.paced);
  return programs;
}

async function halfSection(
  origin: string,
  rounds: number,
  floor: string | undefined,
  at: (ratePerSec: number, sender: Sender) => Promise<Paced>,
): Promise<Section> {
  const caption = "Lag at half of the rate of a bare C loop, on one worker";
  if (floor === undefined) return { caption, unit: "ms", rows: [], notes: ["There is no cc."] };
  const rates: number[] = [];
  const half = (): number => Math.floor(rates[rates.length - 1] / 2);
  const senders = ["epoll", BARE] as const;
  const seen = await interleaved(senders, rounds, async (sender) => {
    if (sender === BARE) return await at(half(), sender); // the same rate as the epoll run before
    const { command, ratePerSec } = contenders.floor;
    const task = { url: origin, connections: CONNECTIONS, floor };
    const floorCommand = placed("generator", command(task, FLOOR_SECONDS));
    rates.push(ratePerSec(await start(floorCommand).output));
    return await at(half(), sender);
  });
  const arrivals = formatCount(Math.floor(medianOf(rates) / 2));
  const note =
    `In the median ${arrivals} arrivals a second: half of floor.c, measured before each round.`;
  return {
    caption,
    unit: "ms",
    rows: senders.flatMap((sender) => rowsOf(sender, seen[sender], HALF_BARS[sender])),
    notes: [note, ...senders.flatMap((sender) => effortNotes(sender, seen[sender]))],
  };
}

interface Pace {
  readonly origin: string;
  readonly ratePerSec: number;
  readonly seconds: number;
}

async function paceBy(driver: Driver, { origin, ratePerSec, seconds }: Pace): Promise<Paced> {
  const load = {
    ...{ kind: "rate", ratePerSec, arrivals: "uniform", workers: 1 } as const,
    ...{ connections: CONNECTIONS, keepAlive: true, timeout: 10_000 },
    durationMs: seconds * 1_000,
  };
  const soFar: SparseHistogram[] = [];
  const onSoFar = (_: number, { totals }: { totals: { lag: SparseHistogram } }): void =>
    void soFar.push(totals.lag);
  const measurement = await loadHere({ origin, load, driver }, { onSoFar });
  const { lag } = measurement.generator;
  return { lag, measurement, intervalP99s: p99sBetween(soFar) };
}

/**
 * Measures the lag of the bare loop.
 * @param paced The path of the program compiled from paced.c.
 */
async function paceBare({ origin, ratePerSec, seconds }: Pace, paced: string): Promise<Paced> {
  const numbers = [new URL(origin).port, CONNECTIONS, ratePerSec, seconds].map(String);
  const output = await start([paced, ...numbers]).output;
  const [whole, intervals] = output.trim().split("\n").map((line) =>
    line.trim().split(" ").map((us) => Number(us) / 1_000)
  );
  const [p50, p99, max] = whole;
  return { lag: { p50, p99, max }, measurement: null, intervalP99s: intervals };
}

/** For each of the cumulative histograms, the p99 in milliseconds of the values added since the histogram before it. */
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

function rowsOf(sender: Sender, runs: readonly Paced[], bar?: Bar): Row[] {
  const whole = (["p50", "p99", "max"] as const).map((figure): Row => ({
    what: `${sender}, ${figure}`,
    samples: runs.map(({ lag }) => lag[figure]),
    bar: figure === "p99" ? bar : undefined,
  }));
  const first = Array.from({ length: FIRST_INTERVALS }, (_, i): Row => ({
    what: `${sender}, p99 of interval ${i + 1}`,
    samples: runs.map(({ intervalP99s }) => intervalP99s[i]),
    bar: i === 0 ? bar : undefined,
  }));
  const later = {
    what: `${sender}, p99 of the later intervals, their median`,
    samples: runs.map(({ intervalP99s }) => medianOf(intervalP99s.slice(FIRST_INTERVALS))),
  };
  return [...whole, ...first, later];
}

function effortNotes(sender: Sender, runs: readonly Paced[]): string[] {
  const measured = runs.flatMap(({ measurement }) => measurement ?? []);
  if (measured.length === 0) return [];
  const cpu = Math.max(...measured.map(({ generator }) => generator.cpu));
  const unsent = measured.reduce(
    (sum, { requests }) => sum + requests.dropped + requests.failed,
    0,
  );
  const percent = (cpu * 100).toFixed(0);
  return [`${sender}: at most ${percent} % of a core; ${unsent} requests dropped or failed.`];
}
