/** What `deno test` printed, in numbers, and what it cost. */
import { readFileSync } from "node:fs";
import type { Manner } from "./rounds.ts";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const SUMMARY =
  /\| (\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/g;

/** The counts in the last summary of `deno test`; one failure when it ended without any. */
export function readSummary(output: string): Counts {
  const last = [...plain(output).matchAll(SUMMARY)].at(-1);
  if (!last) return { passed: 0, failed: 1, skipped: 0 };
  const [passed, failed, skipped] = last.slice(1).map((digits) => Number(digits ?? 0));
  return { passed, failed, skipped };
}

/** A test that failed, with the step in which it did where it has steps, as the list at the end names it. */
const FAILURE = /^(\S.*?)(?: \.\.\. .*)? => \S+:\d+:\d+$/;

/** The tests that failed, each once; none where the process ended before it could list them. */
export function readFailures(output: string): string[] {
  const list = plain(output).split("\n FAILURES \n").at(1)?.split("\n") ?? [];
  return [
    ...new Set(list.map((line) => FAILURE.exec(line)?.[1]).filter((name) => name !== undefined)),
  ];
}

/** What counts where `again` ran once more what `first` lists as failed, or everything where it lists nothing. */
export function countsOfBoth(
  first: Pick<Took, "counts" | "failures">,
  { counts: again }: Pick<Took, "counts">,
): Counts {
  if (first.failures.length === 0) return again;
  const { passed, failed, skipped } = first.counts;
  const left = Math.max(again.failed, failed - again.passed); // what it did not list has failed all the same
  return { passed: passed + again.passed, failed: left, skipped };
}

export function sumOf(counts: readonly Counts[]): Counts {
  const sum = (key: keyof Counts): number => counts.reduce((sum, each) => sum + each[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** One process of `deno test`, once it has ended. */
export interface Took {
  readonly files: readonly string[];
  readonly manner: Manner;
  readonly tookS: number;
  /** Of all its programs together; NaN where the system does not count. */
  readonly cpuS: number;
  readonly counts: Counts;
  /** Names of the tests that failed, as far as it could list them. */
  readonly failures: readonly string[];
  /** Seconds by test. */
  readonly times: ReadonlyMap<string, number>;
}

let countedS = 0;

/** CPU time of children that have ended since the last call, with all that they had started and waited for. */
export function cpuSinceLast(): number {
  if (Deno.build.os !== "linux") return NaN;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const totalS = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SEC;
  const newS = totalS - countedS;
  countedS = totalS;
  return newS;
}

const TICKS_PER_SEC = 100; // USER_HZ, the same on every Linux

const SHOWN = 40;

/** Where the time goes: the processes that took longest, their sum, and the tests that took longest. */
export function slowestLines(took: readonly Took[]): string[] {
  const line = (wallS: string, cpuS: string, manner: string, what: string): string =>
    `${wallS.padStart(7)} s ${cpuS.padStart(7)} s  ${manner.padEnd(8)}  ${what}`;
  const sum = (of: (took: Took) => number): string =>
    took.reduce((sum, each) => sum + of(each), 0).toFixed(1);
  const processes = took.toSorted((a, b) => b.tookS - a.tookS).slice(0, SHOWN);
  const tests = took.flatMap(({ times }) => [...times]).sort(([, a], [, b]) => b - a);
  return [
    "     took       CPU  manner    files",
    ...processes.map(({ tookS, cpuS, manner, files }) =>
      line(tookS.toFixed(1), cpuS.toFixed(1), manner, nameOf(files))
    ),
    line(sum(({ tookS }) => tookS), sum(({ cpuS }) => cpuS), "", `all ${took.length} processes`),
    "     took  test",
    ...tests.slice(0, SHOWN).map(([test, s]) => `${s.toFixed(1).padStart(7)} s  ${test}`),
  ];
}

function nameOf(files: readonly string[]): string {
  return files.length === 1 ? files[0] : `${files.length}: ${files[0]} to ${files.at(-1)}`;
}

/** `(1m2s)`, `(413ms)`, `(12µs)` at the end of a line. */
const TOOK = /^(\S.*) \.\.\. \w+ \((?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?(?:\d+[µn]s)?\)$/;

/** Seconds that each test took, as far as `deno test` says it: whole seconds beyond one. */
export function readTimes(output: string): Map<string, number> {
  const lines = plain(output).split("\n").map((line) => TOOK.exec(line));
  return new Map(
    lines.filter((line) => line !== null).map(
      ([, test, minutes = 0, seconds = 0, ms = 0]) => [
        test,
        60 * Number(minutes) + Number(seconds) + Number(ms) / 1_000,
      ],
    ),
  );
}

function plain(output: string): string {
  // deno-lint-ignore no-control-regex
  return output.replaceAll(/\x1b\[[\d;]*m/g, "");
}
