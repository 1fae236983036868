/**
 * Simulates how late requests are sent, and how long the server then takes, if the generator wakes only at ticks and so
 * sends requests in bursts. The server is M/M/1; the due times are a Poisson process.
 */
import { medianOf, quantileOf } from "../runner/stats/quantile.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { FastRandom } from "./capacity/fast_random.ts";

const REQUESTS = 400_000;
const SHORT_REQUESTS = 20_000;
const TICKS_MS = [0, 0.2, 0.5, 0.9, 2];
const SERVERS = [
  { ratePerSec: 1_000, busy: 0.5 },
  { ratePerSec: 20_000, busy: 0.5 },
  { ratePerSec: 20_000, busy: 0.8 },
];

interface Arrivals {
  readonly ratePerSec: number;
  /** Share of the time in which the server works, 0–1. */
  readonly busy: number;
  /** Time between ticks; 0: each request is sent when it is due. */
  readonly tickMs: number;
}

/** Both arrays are sorted, in milliseconds. */
interface Times {
  readonly lag: Float64Array;
  /** Times from sending a request to its response. */
  readonly service: Float64Array;
}

export const arrivals: Bench = {
  about:
    "lag and service time when a generator that wakes only at ticks sends requests in bursts, simulated",
  rounds: 1,
  run({ rounds, short }): Promise<Section[]> {
    const cases = SERVERS.flatMap((server) => TICKS_MS.map((tickMs) => ({ ...server, tickMs })));
    const seeds = Array.from({ length: rounds }, (_, i) => i);
    const requests = short ? SHORT_REQUESTS : REQUESTS;
    const seen = cases.map((one) => ({
      what: `${one.ratePerSec.toLocaleString("en")}/s, ${100 * one.busy} % busy, ` +
        (one.tickMs === 0 ? "sent when due" : `sent every ${one.tickMs} ms`),
      times: seeds.map((seed) => simulate(one, requests, seed)),
    }));
    const section = (caption: string, figure: (times: Times) => number): Section => ({
      caption,
      unit: "ms",
      rows: seen.map(({ what, times }): Row => ({ what, samples: times.map(figure) })),
    });
    return Promise.resolve([
      section("Lag, p50", ({ lag }) => medianOf(lag)),
      section("Lag, p99", ({ lag }) => quantileOf(lag, 0.99)),
      section("Service time, p50", ({ service }) => medianOf(service)),
      section("Service time, p99", ({ service }) => quantileOf(service, 0.99)),
    ]);
  },
};

function simulate({ ratePerSec, busy, tickMs }: Arrivals, requests: number, seed: number): Times {
  const random = new FastRandom(seed);
  const gapMs = 1_000 / ratePerSec;
  const lag = new Float64Array(requests);
  const service = new Float64Array(requests);
  let [dueMs, freeMs] = [0, 0];
  for (let i = 0; i < requests; i++) {
    dueMs += random.exponential() * gapMs;
    const sentMs = tickMs === 0 ? dueMs : Math.ceil(dueMs / tickMs) * tickMs;
    freeMs = Math.max(freeMs, sentMs) + random.exponential() * busy * gapMs;
    lag[i] = sentMs - dueMs;
    service[i] = freeMs - sentMs;
  }
  return { lag: lag.sort(), service: service.sort() };
}
