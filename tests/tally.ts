/** What `deno test` printed, in numbers, and what it cost. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
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
  /** Seconds by file. */
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

const SHOWN = 25;

/** Where the time goes: the dearest processes first, then the sum. */
export function slowestLines(took: readonly Took[]): string[] {
  const line = (wallS: string, cpuS: string, manner: string, what: string): string =>
    `${wallS.padStart(7)} s ${cpuS.padStart(7)} s  ${manner.padEnd(8)}  ${what}`;
  const sum = (of: (took: Took) => number): string =>
    took.reduce((sum, each) => sum + of(each), 0).toFixed(1);
  const dearest = [...took].sort((a, b) => b.tookS - a.tookS).slice(0, SHOWN);
  return [
    "   took       CPU  manner    files",
    ...dearest.map((each) =>
      line(each.tookS.toFixed(1), each.cpuS.toFixed(1), each.manner, nameOf(each))
    ),
    line(sum(({ tookS }) => tookS), sum(({ cpuS }) => cpuS), "", `all ${took.length} processes`),
  ];
}

/** The file, or the one of several whose tests took longest. */
function nameOf({ files, times }: Took): string {
  if (files.length === 1) return files[0];
  const [[file, tookS] = [files[0], 0]] = [...times].sort(([, a], [, b]) => b - a);
  return `${files.length} files, longest ${relative(".", file)} (${tookS.toFixed(1)} s)`;
}

/** `(1m2s)`, `(413ms)`, `(12µs)` at the end of a line. */
const TOOK = / \((?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?(?:\d+[µn]s)?\)$/;

/**
 * Seconds that the tests of each file took together, as far as `deno test` says it: whole seconds beyond one.
 * Files that share the cores take longer so than alone.
 */
export function readTimes(output: string): Map<string, number> {
  const times = new Map<string, number>();
  let file = "";
  for (const line of plain(output).split("\n")) {
    file = /^running \d+ tests? from (\S+)/.exec(line)?.[1] ?? file;
    const [, minutes = 0, seconds = 0, ms = 0] = TOOK.exec(line) ?? [];
    const named = /^(\S+_test\.ts) => /.exec(line)?.[1] ?? file;
    // A step is within its test: indented, or behind the test's name.
    if (named === "" || !/^\S.* \.\.\. \w+ \(/.test(line) || / \.\.\. .* \.\.\. /.test(line)) {
      continue;
    }
    const tookS = 60 * Number(minutes) + Number(seconds) + Number(ms) / 1_000;
    times.set(named, (times.get(named) ?? 0) + tookS);
  }
  return times;
}

function plain(output: string): string {
  // deno-lint-ignore no-control-regex
  return output.replaceAll(/\x1b\[[\d;]*m/g, "");
}
