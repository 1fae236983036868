// deno-lint-ignore-file no-console -- printing the table is what this program is for
/**
 * `deno run -A bench/statistics.ts`: how often Plateau's statistics are right, where the truth is known because
 * it is simulated, with fixed seeds. One row for each promise; the exit code is 1 when one is not kept.
 */
import { compare, coverage, FIGURES, type Noise, repeatUntil } from "./statistics/groups.ts";
import { Random } from "./statistics/random.ts";
import { findsFlat, findsNoSteadyState, findsStep, shareOf } from "./statistics/series.ts";

interface Row {
  readonly promise: string;
  readonly cases: number;
  /** Shares, 0 to 1. */
  readonly found: number;
  readonly least: number;
  readonly most: number;
}

/** 2 % between runs, 3 % between the seconds of a run, and request times that are log-normal, p99 at 3.2 times p50. */
const NOISE: Noise = { run: 0.02, block: 0.03, request: 0.5 };

function steadyStates(): Row[] {
  const row = (promise: string, found: number): Row => ({ promise, cases: 1_000, found, least: 0.95, most: 1 });
  return [
    row("the steady part is found within one interval", shareOf(1_000, 1, findsStep)),
    row("a flat series is called flat", shareOf(1_000, 2, findsFlat)),
    row("a rise that never ends is called no steady state", shareOf(1_000, 3, findsNoSteadyState)),
  ];
}

function coverages(): Row[] {
  return [5, 10].flatMap((runs) =>
    coverage(new Random(runs), 1_000, { runs, noise: NOISE }).map((found, f) => ({
      promise: `the interval of ${nameOf(FIGURES[f])} covers, ${runs} runs`,
      cases: 1_000,
      found,
      least: 0.93,
      most: 0.97,
    }))
  );
}

function comparisons(): Row[] {
  const share = (figure: typeof FIGURES[number], runs: number, slower: number, isIt: (verdict: string) => boolean): number => {
    const random = new Random(runs + (slower > 1 ? 100 : 0));
    const verdicts = Array.from({ length: 200 }, () => compare(random, figure, { runs, noise: NOISE, slower }));
    return verdicts.filter(isIt).length / verdicts.length;
  };
  const isFalseAlarm = (verdict: string): boolean => verdict === "better" || verdict === "worse";
  const alarms = [5, 10].flatMap((runs) =>
    (["rate", 99] as const).map((figure) => ({
      promise: `A against A is called better or worse, ${nameOf(figure)}, ${runs} runs`,
      cases: 200,
      found: share(figure, runs, 1, isFalseAlarm),
      least: 0,
      most: 0.05,
    }))
  );
  const seen = share("rate", 10, 1.05, (verdict) => verdict === "worse");
  return [...alarms, { promise: "5 % slower is called worse, rate, 10 runs", cases: 200, found: seen, least: 0.9, most: 1 }];
}

function sequences(): Row[] {
  return [0.02, 0.05].map((stdev) => {
    const random = new Random(11);
    const ends = Array.from({ length: 500 }, () => repeatUntil(random, 0.02, { ...NOISE, run: stdev }));
    const mean = ends.reduce((sum, { repetitions }) => sum + repetitions, 0) / ends.length;
    return {
      promise: `the interval of "until 2%" covers, ${stdev * 100} % between runs (${mean.toFixed(0)} runs on average)`,
      cases: ends.length,
      found: ends.filter(({ covers }) => covers).length / ends.length,
      least: 0.93,
      most: 1,
    };
  });
}

function nameOf(figure: typeof FIGURES[number]): string {
  return typeof figure === "number" ? `p${figure}` : figure;
}

function isKept({ found, least, most }: Row): boolean {
  return found >= least && found <= most;
}

function lineOf(row: Row): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const bar = row.most === 1 ? `≥ ${percent(row.least)}` : row.least === 0 ? `≤ ${percent(row.most)}` : `${percent(row.least)} to ${percent(row.most)}`;
  return `| ${row.promise.padEnd(76)} | ${String(row.cases).padStart(5)} | ${percent(row.found).padStart(7)} | ${bar.padEnd(16)} | ${isKept(row) ? "yes" : "NO "}  |`;
}

console.log(`| ${"promise".padEnd(76)} | cases |   found | bar              | kept |`);
console.log(`| ${"-".repeat(76)} | ----: | ------: | ---------------- | ---- |`);
let kept = true;
for (const section of [steadyStates, coverages, comparisons, sequences]) {
  for (const row of section()) {
    console.log(lineOf(row));
    kept &&= isKept(row);
  }
}
Deno.exitCode = kept ? 0 : 1;
