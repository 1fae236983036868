/**
 * How late requests are sent: the send minus the moment at which it was due, at 20,000 arrivals a second on
 * one worker, of which nginx alone would take several times as many.
 */
import type { Measurement } from "../runner/result/result.ts";
import { atMost } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { startNginx } from "./stage/nginx.ts";
import { runPlateau } from "./stage/plateau.ts";

/** Milliseconds of p99, as tcp has no waits shorter than a millisecond. */
const BARS = { epoll: atMost(0.1), tcp: atMost(0.5) };
/** A worker that shares its only core with the threads that compile and clean up for it waits for them. */
const PLACING = "nginx is kept on one core; the generator is free, as it is where nobody pins it.";
type Driver = keyof typeof BARS;
const DRIVERS: readonly Driver[] = ["epoll", "tcp"];

export const lag: Bench = {
  about: "how late requests are sent at 20,000 arrivals a second",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const seen = await interleaved(DRIVERS, rounds, (driver) => {
      const flags = `-r 20000/s -w 1 --driver ${driver} -d ${short ? 2 : 10}s`;
      return runPlateau(`${nginx.origin}/`, flags.split(" "), "anywhere");
    });
    return [{
      caption: "Lag at 20,000 arrivals a second on one worker",
      unit: "ms",
      rows: DRIVERS.flatMap((driver) => rowsOf(driver, seen[driver])),
      notes: [PLACING, ...DRIVERS.map((driver) => effortNote(driver, seen[driver]))],
    }];
  },
};

function rowsOf(driver: Driver, runs: readonly Measurement[]): Row[] {
  return (["p50", "p99", "max"] as const).map((figure) => ({
    what: `${driver}, ${figure}`,
    samples: runs.map(({ generator }) => generator.lag[figure]),
    bar: figure === "p99" ? BARS[driver] : undefined,
  }));
}

function effortNote(driver: Driver, runs: readonly Measurement[]): string {
  const cpu = Math.max(...runs.map(({ generator }) => generator.cpu));
  const unsent = runs.reduce((sum, { requests }) => sum + requests.dropped + requests.failed, 0);
  return `${driver}: at most ${
    (cpu * 100).toFixed(0)
  } % of a core; ${unsent} requests dropped or failed.`;
}
