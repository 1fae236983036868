/** What `deno test` printed, in numbers. */

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
