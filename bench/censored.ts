/**
 * Measures medians of response times when some requests outlast the load, so that only a lower bound of their time is
 * known. The server's response times are exponential with a mean of one second, so their median is ln 2 s. A tool
 * reports less if it counts requests in flight at the end as if they had been answered then, or if it leaves them out.
 */
import { formatCount } from "../report/writing/units.ts";
import type { Measurement } from "../runner/result/result.ts";
import { productLimitUs } from "../runner/stats/histogram/censoring.ts";
import { decodeSparse } from "../runner/stats/histogram/hdr.ts";
import { EMPTY } from "../runner/stats/histogram/histogram.ts";
import { type Bar, within } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { meanMedian } from "./censored/simulation.ts";
import { interleaved } from "./rounds.ts";
import { runPlateau } from "./stage/plateau.ts";
import { type Server, startServer } from "./stage/server.ts";
import { Random } from "./statistics/random.ts";

const CONNECTIONS = 50;
const SECONDS = ["1.5", "5.5", "10.5"] as const;
/** How long Plateau waits, after the deadline, for requests in flight; in seconds. */
const WAITS_S = 5;
const SIMULATED = 1_000;
const SEED = 20_260_114;
const TRUE_S = Math.LN2;

/** The normal quantile of a two-sided 99 % interval. The interval misses the truth in one run of a hundred. */
const Z_99 = 2.576;

export const censored: Bench = {
  about: "the median of a server with exponential times, against arithmetic",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    const seconds = short ? SECONDS.slice(0, 1) : SECONDS;
    await using server = await startExponential(SEED);
    const seen = await interleaved(seconds, rounds, (duration) => load(server, duration));
    return [simulated(), real(seconds.map((duration) => [duration, seen[duration]]))];
  },
};

/**
 * The bar for the number of runs that miss the truth. With nine runs, more than one miss has a probability below 1 in
 * 200.
 */
const mostMissed: Bar = { text: "≤ 1", holds: (missed) => missed <= 1 };

function simulated(): Section {
  const row = (duration: string, waits: number, seed: number): Row => {
    const loop = { connections: CONNECTIONS, seconds: Number(duration), waits };
    return {
      what: waits === 0 ? `${duration} s, interrupted at the deadline` : `${duration} s`,
      samples: [meanMedian(SIMULATED, loop, new Random(seed))],
      baseline: TRUE_S,
      bar: within(0, 0.03),
    };
  };
  return {
    caption: `Mean of the medians of ${formatCount(SIMULATED)} simulated runs`,
    unit: "s",
    baseline: "ln 2",
    rows: SECONDS.flatMap((duration, i) => [
      row(duration, WAITS_S, SEED + 2 * i),
      row(duration, 0, SEED + 2 * i + 1),
    ]),
  };
}

function real(seen: readonly [duration: string, runs: readonly Measurement[]][]): Section {
  const missed = seen.flatMap(([, runs]) => runs).filter((run) => !holdsTruth(run)).length;
  return {
    caption: `Median of ${CONNECTIONS} connections to a server with exponential times`,
    unit: "s",
    baseline: "ln 2",
    rows: [
      ...seen.map(([duration, runs]): Row => ({
        what: `${duration} s`,
        samples: runs.map(({ latency }) => latency.percentiles["50"] / 1_000),
        baseline: TRUE_S,
      })),
      { what: "runs whose own 99 % interval misses it", samples: [missed], bar: mostMissed },
    ],
  };
}

/**
 * Whether the 99 % interval for the run's median contains the true median, ln 2 s. The interval is distribution-free:
 * it lies between the latencies of ranks n/2 ± z √n/2.
 */
function holdsTruth({ histogram, censoredHistogram }: Measurement): boolean {
  const all = decodeSparse(histogram);
  const bounds = censoredHistogram === undefined ? EMPTY : decodeSparse(censoredHistogram);
  const half = 50 * Z_99 / Math.sqrt(all.count);
  const [lowUs, highUs] = [50 - half, 50 + half].map((p) => productLimitUs(all, bounds, p));
  return lowUs <= TRUE_S * 1e6 && TRUE_S * 1e6 <= highUs;
}

function load(server: Server, duration: string): Promise<Measurement> {
  const flags = `-c ${CONNECTIONS} -d ${duration}s -t 60s`;
  return runPlateau(`${server.origin}/wait`, flags.split(" "));
}

function startExponential(seed: number): Promise<Server> {
  const program = new URL("stage/exponential.ts", import.meta.url).href;
  return startServer("exponential", () => [Deno.execPath(), "run", "-A", program, String(seed)]);
}
