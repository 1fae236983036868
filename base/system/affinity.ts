/**
 * The cores on which a thread may run: sched_setaffinity(2) of Linux, through libc. Threads and processes that a thread
 * starts begin with that thread's cores. Calls about cores throw on other systems, with a libc other than glibc, and
 * without the permission for FFI. Also sets how promptly a thread gets a core, if the system supports that.
 */
import { libcOr, processCalls } from "./libc.ts";

/** CPU_SETSIZE of glibc: the number of cores in a mask. */
const MOST_CORES = 1_024;
const BITS = 32;

type Mask = Uint32Array<ArrayBuffer>;

/** The thread id 0 means the calling thread. */
const THIS_THREAD = 0;

/** Calls `start` while this thread is pinned to `cores`, so that whatever it starts inherits them. */
export function startOn<Started>(cores: readonly number[], start: () => Started): Started {
  const before = coresOf(THIS_THREAD);
  keepTo(THIS_THREAD, cores);
  try {
    return start();
  } finally {
    keepTo(THIS_THREAD, before);
  }
}

/** Pins every thread of this process, and everything that they start from now on, to `cores`. */
export function keepProcessTo(cores: readonly number[]): void {
  const kept = new Set<string>();
  // A thread that is not pinned yet may start another meanwhile: repeat until there are no new ones.
  while (true) {
    const fresh = [...Deno.readDirSync("/proc/self/task")].filter(({ name }) => !kept.has(name));
    if (fresh.length === 0) return;
    for (const { name } of fresh) {
      keepTo(Number(name), cores);
      kept.add(name);
    }
  }
}

/** The cores that this thread may run on. Throws if the system does not tell. */
export function allowedCores(): number[] {
  return coresOf(THIS_THREAD);
}

function keepTo(thread: number, cores: readonly number[]): void {
  const mask = maskOf(cores);
  const { sched_setaffinity } = processCalls();
  if (sched_setaffinity(thread, BigInt(mask.byteLength), mask) === 0 || isOver(thread)) return;
  throw new Error(`the system refuses to keep a thread to cores ${cores.join(",")}`);
}

function coresOf(thread: number): number[] {
  const mask: Mask = new Uint32Array(MOST_CORES / BITS);
  const { sched_getaffinity } = processCalls();
  if (sched_getaffinity(thread, BigInt(mask.byteLength), mask) !== 0) {
    throw new Error("the system does not report on which cores a thread may run");
  }
  return Array.from({ length: MOST_CORES }, (_, core) => core).filter((core) =>
    (mask[Math.floor(core / BITS)] >>> (core % BITS) & 1) === 1
  );
}

function maskOf(cores: readonly number[]): Mask {
  const mask: Mask = new Uint32Array(MOST_CORES / BITS);
  for (const core of cores) mask[Math.floor(core / BITS)] |= 1 << (core % BITS);
  return mask;
}

function isOver(thread: number): boolean {
  if (thread === THIS_THREAD) return false;
  try {
    Deno.statSync(`/proc/self/task/${thread}`);
    return false;
  } catch {
    return true;
  }
}

// Cores of a machine as Linux writes them: numbers and ranges, such as `0-3,6`.

const LIST = /^\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?)*$/;

/** The cores in ascending order, each once; null if `text` is not such a list or a range is descending. */
export function parseCores(text: string): number[] | null {
  const plain = text.replaceAll(" ", "");
  if (!LIST.test(plain)) return null;
  const ranges = plain.split(",").map((part) => part.split("-").map(Number));
  if (ranges.some(([first, last = first]) => last < first)) return null;
  const cores = ranges.flatMap(([first, last = first]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index)
  );
  return [...new Set(cores)].sort((a, b) => a - b);
}

/** Writes cores as the list that `parseCores` reads: `0-3,6`. */
export function coresText(cores: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const core of cores) {
    const range = ranges[ranges.length - 1];
    if (range !== undefined && core === range[1] + 1) range[1] = core;
    else ranges.push([core, core]);
  }
  return ranges.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(",");
}

// sched_setattr(2) is called by its number, because libc has no function for it before glibc 2.41.
// It takes a struct sched_attr (linux/sched/types.h), here as 32-bit words.
const SCHED_SETATTR = Deno.build.arch === "x86_64" ? 314n : 274n;
const SCHED_GETATTR = Deno.build.arch === "x86_64" ? 315n : 275n;
const ATTRIBUTE_WORDS = 12;
const SIZE = 0;
const POLICY = 1;
/** Index of the word that holds the lower 32 bits of the slice's length in nanoseconds. */
const RUNTIME = 6;
/** The default scheduling policy of threads. */
const SCHED_OTHER = 0;

/**
 * Makes the scheduler give this thread its share of a core in slices of `us` microseconds, at least 100; 0 for the
 * system's own length, some milliseconds. A thread that wakes up gets a core before threads with longer slices; its
 * share stays the same. Has no effect before Linux 6.12. Returns false if the slices can't be set.
 */
export function takeSlicesOf(us: number): boolean {
  const take = (): boolean => {
    const { syscall } = processCalls();
    const attributes = new Uint32Array(ATTRIBUTE_WORDS);
    const bytes = BigInt(attributes.byteLength);
    if (syscall(SCHED_GETATTR, BigInt(THIS_THREAD), attributes, bytes, 0n) !== 0n) return false;
    if (attributes[POLICY] !== SCHED_OTHER) return false;
    attributes[SIZE] = attributes.byteLength;
    attributes[RUNTIME] = us * 1_000;
    attributes[RUNTIME + 1] = 0;
    return syscall(SCHED_SETATTR, BigInt(THIS_THREAD), attributes, 0n, 0n) === 0n;
  };
  return libcOr(take, () => false);
}
