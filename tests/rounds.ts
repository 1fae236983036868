/**
 * Which test files run beside which. Each process loads Deno and the modules anew, so files that start no programs share
 * a few processes, and so do short ones of the others. The former compute in the time that the latter spend waiting. The
 * end of a name says otherwise:
 *
 * - `_alone_test.ts`: beside none, as it measures time, cores or the machine.
 * - `_waits_test.ts`: beside many, as it mostly waits for events, pauses and time-outs.
 * - `_apart_test.ts`: beside others, but in a process of its own, as it needs modules that no other test has touched, or
 *   looks at what its process has opened and started.
 * - `_slow_test.ts`, also behind one of these: it starts the program most often, waits for long, has a server compiled
 *   or drives a real browser, so that `deno task test` without paths leaves it out and ends within some minutes. CI runs
 *   it, and so does `--all`. In `e2e/` each command has one short way through it that is not left out.
 *
 * A test in a file that runs beside others waits for events, asserts no time that a busy neighbour could move, and
 * uses nothing that the machine has once, such as a fixed port.
 */
import { relative, resolve } from "node:path";

const TESTS = resolve(import.meta.dirname ?? "");

/** Folders whose files start programs, or load servers. */
const WITH_PROGRAMS = ["conformance", "e2e", "faults", "hostile", "studies"];

/** Folders whose files are one process, as all that they share is dear to start. */
const TOGETHER = ["browser"];

/** How a file runs: beside none, a few or many others, or with others in one process. */
export type Manner = "alone" | "computes" | "waits" | "shares";

/** A process with fewer files costs more to start than it saves on another core. */
const LEAST_FILES = 20;

/** What one process runs. */
export interface Job {
  /** Full paths. */
  readonly files: readonly string[];
  readonly manner: Manner;
}

/** Jobs in the order in which they start, some at a time. */
export interface Queue {
  readonly jobs: readonly Job[];
  readonly atOnce: number;
}

/**
 * Gives the next job to a place of one of the queues that run beside one another; undefined where there is none for it. A place
 * whose own queue is empty takes from the others, so that all are used to the end, but for one that is there for jobs that wait:
 * with a job that computes it would be one more than the cores have time for.
 */
export function takingFrom(queues: readonly Queue[]): (queue: Queue) => Job | undefined {
  const left = new Map(queues.map((queue) => [queue, [...queue.jobs]]));
  return (queue) => {
    const isForWaiting = queue.jobs.every(({ manner }) => manner === "waits");
    const open = isForWaiting ? [queue] : [queue, ...queues];
    return open.map((one) => left.get(one) ?? []).find(({ length }) => length > 0)?.shift();
  };
}

/** Whether `deno task test` leaves it out where no paths are given. */
export function isSlow(file: string): boolean {
  return file.endsWith("_slow_test.ts");
}

/** Whether they call the binary that PLATEAU_BINARY names, where it names one. All others call the source. */
export function callsBinary(files: readonly string[]): boolean {
  return files.every((file) => relative(TESTS, file).startsWith("e2e/"));
}

/** @param file A full path. */
function mannerOf(file: string): Manner {
  const [, suffix] = /_(alone|waits)(?:_slow)?_test\.ts$/.exec(file) ?? [];
  if (suffix === "alone" || suffix === "waits") return suffix;
  return WITH_PROGRAMS.includes(folderOf(file)) ? "computes" : "shares";
}

/** The folder of tests/ that the file is in, at whatever depth. */
function folderOf(file: string): string {
  return relative(TESTS, file).split("/")[0];
}

/**
 * Rounds, one after another, of queues beside one another. Every file is in one job. What runs alone is the last round.
 *
 * @param files Full paths.
 * @param bytesOf The size of a file: the longer it is, the longer its tests take, as a rule.
 */
export function roundsOf(
  files: readonly string[],
  cores: number,
  bytesOf: (file: string) => number,
): Queue[][] {
  const of = (manner: Manner): string[] =>
    longFirst(files.filter((file) => mannerOf(file) === manner), bytesOf);
  const single = (manner: Manner): Job[] => of(manner).map((file) => ({ files: [file], manner }));
  // Jobs that start programs wait for about half of their time: two jobs more than there are cores keep these busy.
  const computing = Math.ceil(cores / 2);
  const rounds: Queue[][] = [
    [
      {
        jobs: shared(files.filter((file) => mannerOf(file) === "shares"), cores),
        atOnce: computing,
      },
      { jobs: packed(of("computes"), bytesOf), atOnce: cores + 2 - computing },
      { jobs: single("waits"), atOnce: cores },
    ],
    [{ jobs: single("alone"), atOnce: 1 }],
  ];
  return rounds.map((queues) => queues.filter(({ jobs }) => jobs.length > 0))
    .filter((queues) => queues.length > 0);
}

/** So that no long one is the last to start. */
function longFirst(files: readonly string[], bytesOf: (file: string) => number): string[] {
  return files.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)) || bytesOf(b) - bytesOf(a));
}

const isApart = (file: string): boolean => /_apart(?:_slow)?_test\.ts$/.test(file);

/** Those of a folder that stays together, then neighbours by name, then those that need a process each. */
function shared(files: readonly string[], cores: number): Job[] {
  const folders = TOGETHER.map((folder) => files.filter((file) => folderOf(file) === folder))
    .filter(({ length }) => length > 0);
  const together = files.filter((file) => !isApart(file) && !TOGETHER.includes(folderOf(file)));
  const processes = Math.min(2 * cores, Math.ceil(together.length / LEAST_FILES));
  const share = Math.ceil(together.length / processes);
  const chunks = Array.from(
    { length: processes },
    (_, i) => together.slice(i * share, (i + 1) * share),
  );
  const apart = files.filter(isApart).map((file) => [file]);
  return [...folders, ...chunks, ...apart].map((files) => ({ files, manner: "shares" }));
}

/** Short files of a folder share a process that takes about as long as the longest file. @param files The longest first. */
function packed(files: readonly string[], bytesOf: (file: string) => number): Job[] {
  const mostBytes = Math.max(...files.filter((file) => !isSlow(file)).map(bytesOf));
  const packs: { readonly files: string[]; leftBytes: number }[] = [];
  for (const file of files) {
    const isSingle = isSlow(file) || isApart(file);
    const fitting = packs.find(({ files: [first], leftBytes }) =>
      !isSingle && folderOf(first) === folderOf(file) && bytesOf(file) <= leftBytes
    );
    if (fitting === undefined) {
      packs.push({ files: [file], leftBytes: isSingle ? -1 : mostBytes - bytesOf(file) });
    } else {
      fitting.files.push(file);
      fitting.leftBytes -= bytesOf(file);
    }
  }
  return packs.map(({ files }) => ({ files, manner: "computes" }));
}
