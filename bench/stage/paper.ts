/**
 * Generates results as large as those of a whole paper: nine frameworks in five scenarios, with ten runs of 10 s each
 * and everything that a run of the experiment `kuffel-walter` records. They are random, but always the same for a seed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results, type Run } from "../../runner/result/result.ts";
import { warmupOf } from "../../runner/result/warmup.ts";
import { type CellSpec, resultsFixture } from "../../tests/report/fixture.ts";

/** The median latencies of frameworks, in milliseconds, and the factors by which scenarios multiply them. */
const FRAMEWORKS = [4, 1.6, 3.2, 2.2, 5, 2, 12, 1.4, 0.9];
const SCENARIOS = { static: 1, fib: 6, redis: 1.5, error: 1.2, validation: 1.8 };
/**
 * The shares of slow requests. They give latencies with one peak, with one peak and a long tail, and with two peaks.
 */
const SLOW_RATIOS = [0.01, 0.05, 0.3];

export interface PaperSpec {
  /** The number of frameworks; default: all nine. */
  readonly frameworks?: number;
  readonly runs?: number;
  /** The length of a run in seconds; default: 10. */
  readonly duration?: number;
  readonly seed?: number;
  readonly startedAt?: string;
  /** The factor for all latencies; default: 1. */
  readonly slower?: number;
}

export function paperResults(
  { frameworks = FRAMEWORKS.length, runs = 10, duration = 10, slower = 1, ...rest }: PaperSpec = {},
): Results {
  const cells = Object.entries(SCENARIOS).flatMap(([scenario, work], s) =>
    FRAMEWORKS.slice(0, frameworks).map((medianMs, i): CellSpec => ({
      target: `target ${i + 1}`,
      scenario,
      medianMs: medianMs * work * slower,
      slowRatio: SLOW_RATIOS[(s + i) % SLOW_RATIOS.length],
      connections: 20,
      warmUp: 1 + i % 2,
      runs,
      duration,
    }))
  );
  const drawn = resultsFixture({ name: "report", cells, ...rest });
  return results.parse({ ...drawn, runs: drawn.runs.map(inFull) });
}

/** Adds what a real run also records: its steady part, its slowest requests, further histograms and a finding. */
function inFull(run: Run, at: number): Run {
  const { points, intervalS } = run.timeline;
  const { histogram } = run;
  return {
    ...run,
    warmup: warmupOf(points, intervalS),
    histograms: { service: histogram, firstByte: histogram },
    slowest: Array.from({ length: 10 }, (_, i) => slowRequest(run, i)),
    generator: at % 50 > 0 ? run.generator : {
      ...run.generator,
      trust: "suspect",
      findings: [{
        code: "worker-paused",
        severity: "suspect",
        evidence: { delay: 4.204 },
        advice: ["own-machine"],
      }],
    },
  };
}

function slowRequest(
  { latency, elapsedS, scenario }: Run,
  i: number,
): NonNullable<Run["slowest"]>[number] {
  const sentS = elapsedS * (i + 0.5) / 10;
  return {
    latency: latency.max * (1 - i / 100),
    dueS: sentS,
    sentS,
    request: `GET /${scenario}`,
    connection: i,
    outcome: "completed",
    status: 200,
  };
}

/** Writes a folder of results in the format of `plateau run`, with one run per line. */
export function writeResults(folder: string, { runs, ...head }: Results): void {
  mkdirSync(folder, { recursive: true });
  const lines = runs.map((run) => JSON.stringify(run)).join(",\n");
  const text = JSON.stringify(head).replace(/\}$/, `,"runs":[\n${lines}\n]}\n`);
  writeFileSync(join(folder, "results.json"), text);
}
