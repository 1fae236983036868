/**
 * What language runtimes reported about themselves in each cell: pauses, slow requests that overlapped pauses, and the
 * work of their compilers.
 */
import type { Counters } from "../../runner/result/runtime/counters.ts";
import { sum } from "../writing/spread.ts";
import { formatCount, formatExactly, formatMs, formatShare } from "../writing/units.ts";
import { counted, listed } from "../writing/words.ts";
import type { Finding } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";

/** For each observed cell, one finding about its runtime and one about its compiler. */
export function runtimeFindings(cells: readonly CellRuns[]): Finding[] {
  return cells.flatMap(({ label, runs }) => {
    const observed = runs.filter(({ counters }) => counters !== undefined);
    if (observed.length === 0) return [];
    const all = observed.flatMap(({ counters }) => counters ?? []);
    const elapsedMs = 1_000 * sum(observed, ({ elapsedS }) => elapsedS);
    return [
      {
        code: "runtime",
        text: `Runtime of ${label}: ${pausesText(all, elapsedMs)}${slowestText(all)}.`,
      },
      ...compilerFinding(label, all),
    ];
  });
}

/** How many functions the compiler optimised per run, and when. Empty if no run reports on its compiler. */
function compilerFinding(label: string, all: readonly Counters[]): Finding[] {
  const reported = all.filter(({ processes }) =>
    processes.some(({ compiler }) => compiler !== undefined)
  );
  if (reported.length === 0) return [];
  const work = reported.flatMap(({ processes }) =>
    processes.flatMap(({ compiler = [] }) => compiler)
  );
  const perRun = (count: number): string => formatCount(Math.round(count / reported.length));
  const [maglev, turbofan, deoptimized] = (["maglev", "turbofan", "deoptimized"] as const)
    .map((what) => sum(work, (each) => each[what]));
  const by = [
    ...maglev > 0 ? [`${perRun(maglev)} by Maglev`] : [],
    ...turbofan > 0 ? [`${perRun(turbofan)} by TurboFan`] : [],
  ];
  const moments = reported.flatMap(({ points }) =>
    points.flatMap(({ endS, compiler }) =>
      compiler === undefined ? [] : [{ endS, count: compiler.maglev + compiler.turbofan }]
    )
  ).filter(({ count }) => count > 0).sort((a, b) => a.endS - b.endS);
  const text = by.length === 0
    ? "optimised no function"
    : `functions optimised per run, on average: ${by.join(", ")}; ` +
      `half of them within ${formatExactly(halfOf(moments))}, ` +
      `the last within ${formatExactly(moments.at(-1)?.endS ?? 0)}; ` +
      `optimised code was given up (deoptimised) ${perRun(deoptimized)} times per run`;
  return [{ code: "compiler", text: `V8 of ${label}: ${text}.` }];
}

/** The end, in seconds, of the interval in which half of the total count is reached. */
function halfOf(moments: readonly { readonly endS: number; readonly count: number }[]): number {
  const half = sum(moments, ({ count }) => count) / 2;
  let done = 0;
  return moments.find(({ count }) => (done += count) >= half)?.endS ?? 0;
}

/**
 * How long pauses stopped a target. The shares of its processes are added, because each process pauses independently.
 */
function pausesText(all: readonly Counters[], elapsedMs: number): string {
  const processes = all.flatMap(({ processes }) => processes);
  const count = sum(processes, ({ collections }) => collections);
  const stoppedMs = sum(processes, (each) => each.stoppedMs);
  const longestMs = Math.max(0, ...processes.map((each) => each.longestMs));
  const longest = all.flatMap(({ collections }) => collections).find(({ ms }) => ms === longestMs);
  const delays = processes.flatMap(({ delay }) => delay ?? []);
  const delay = delays.length === 0
    ? ""
    : `; its event loop was late by ${
      formatMs(sum(delays, ({ mean }) => mean) / delays.length)
    } on average and ${formatMs(Math.max(...delays.map(({ max }) => max)))} at most`;
  const stopped = count === 0
    ? "no collection"
    : `${counted(count, "collection")} stopped it for ${
      formatShare(stoppedMs / elapsedMs)
    } of the time; the longest took ${formatMs(longestMs)}${
      // A collection may take longer than it stops the program: those of Go, and in part those of
      // V8, run concurrently.
      longest === undefined || longest.stoppedMs >= longestMs
        ? ""
        : ` and stopped it for ${formatMs(longest.stoppedMs)} of that`}`;
  return stopped + delay;
}

/** Says whether the slowest requests overlapped pauses more often than by chance; "" if there were no pauses. */
function slowestText(all: readonly Counters[]): string {
  const requests = sum(all, ({ slowest }) => slowest.requests);
  if (requests === 0) return "; no request was slow";
  const met = (of: "collections" | "stalls", what: string): string[] => {
    const overlapping = sum(all, ({ slowest }) => slowest[of].overlapping);
    const expected = sum(all, ({ slowest }) => slowest[of].expected);
    // There were no pauses of this kind. Stalls due to a halted machine or a crowded core do not
    // count as pauses.
    if (expected === 0) return [];
    const [share, byChance] = [overlapping, expected].map((count) => formatShare(count / requests));
    return [
      overlapping > expected
        ? `${share} overlapped ${what} (${byChance} would by chance)`
        : `${share} overlapped ${what}, no more than would by chance (${byChance})`,
    ];
  };
  const pauses = [...met("collections", "a collection"), ...met("stalls", "a blocked event loop")];
  if (pauses.length === 0) return "";
  return `; of its ${counted(requests, "slowest request")}, ${listed(pauses, "and")}`;
}
