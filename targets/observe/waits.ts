/**
 * Estimates from looks at random moments how long requests wait for something other than CPU: the target's threads for
 * storage or a name server, and connections in the accept queue. The mean number of waiting threads or connections,
 * divided by the rate of requests, is the average wait of a request (J. D. C. Little, "A Proof for the Queuing Formula
 * L = λW", 1961). Linux only.
 */
import { clearTimeout, setTimeout } from "node:timers";
import {
  descendantsOf,
  openFilesOf,
  readStorageBytes,
  readThreadStates,
} from "../../base/system/processes.ts";
import {
  type AcceptQueue,
  readAcceptQueue,
  readNameServerSockets,
} from "../../base/system/sockets.ts";

export interface TargetWaits {
  /** The number of looks at threads and at sockets to name servers. */
  readonly looks: number;
  /** The average number of threads in uninterruptible sleep, most of which wait for storage. */
  readonly sleeping: number;
  /** The number of bytes read from and written to storage; null if this user may not see it. */
  readonly storageBytes: number | null;
  /** The average number of sockets that are connected to a name server; null if they cannot be seen. */
  readonly lookups: number | null;
  /**
   * The connections to the target's port; null if there is no port, the connections cannot be seen, or there were too
   * few looks at them.
   */
  readonly connections: {
    readonly looks: number;
    /** The smallest and the average number of connections waiting to be accepted. */
    readonly leastQueued: number;
    readonly queued: number;
    /**
     * The smallest and the largest number of connections that were accepted and still open; null if there were too many
     * to count.
     */
    readonly accepted: { readonly least: number; readonly most: number } | null;
  } | null;
}

interface Look {
  readonly sleeping: number;
  readonly lookups: number | null;
}

/**
 * The average time between two looks: `leastMs`, or `times` times the duration of a look if that is longer, so that
 * looks use at most 1 % of a core.
 */
const APART = { leastMs: 15, times: 100 };
/**
 * The same for looks at connections. They take longer, but can be rarer, because connections stay in a state for
 * longer; they use at most 0.5 % of a core.
 */
const CONNECTIONS_APART = { leastMs: 250, times: 200 };
/** After this many looks, the target's processes are listed anew. */
const LOOKS_A_SEARCH = 10;
/** The maximum number of threads to look at. With more of them, no look is taken, because it would take too long. */
const MOST_THREADS = 256;
/** The maximum number of looks. One minute's looks are enough to estimate a mean. */
const MOST_LOOKS = 4_000;
/** The fewest looks from which average waits are estimated. */
const LEAST_LOOKS = 15;
/** The fewest looks at connections from which a limit on accepted connections can be recognized. */
const LEAST_AT_CONNECTIONS = 3;

interface WaitsWatch {
  /** The port on which the processes accept connections; null if they listen on a unix socket. */
  readonly port: number | null;
  /** Whether the target is under load now. What it waits for when idle says nothing about its requests. */
  readonly isMeasured: () => boolean;
}

/**
 * Starts to look at random moments. Returns a function that stops the looks and returns their result, or null if there
 * were too few.
 * @param listeners The target's processes that accept connections.
 */
export function watchWaits(
  listeners: readonly number[],
  { port, isMeasured }: WaitsWatch,
): () => TargetWaits | null {
  const looks: Look[] = [];
  const queues: AcceptQueue[] = [];
  const storageBefore = storageBytesOf(treesOf(listeners));
  let pids: readonly number[] = [];
  let begun = 0;
  const ends = [
    lookAtRandom(APART, isMeasured, () => {
      if (begun++ % LOOKS_A_SEARCH === 0) pids = treesOf(listeners);
      const look = lookAt(pids, listeners[0]);
      if (look !== null && looks.length < MOST_LOOKS) looks.push(look);
    }),
    lookAtRandom(CONNECTIONS_APART, isMeasured, () => {
      const queue = port === null ? null : readAcceptQueue(listeners[0], port);
      if (queue !== null && queues.length < MOST_LOOKS) queues.push(queue);
    }),
  ];
  return () => {
    for (const end of ends) end();
    const storage = storageBytesOf(treesOf(listeners));
    const storageBytes = storage === null || storageBefore === null
      ? null
      : Math.max(0, storage - storageBefore);
    return looks.length < LEAST_LOOKS ? null : waitsOf({ looks, queues, storageBytes });
  };
}

/**
 * Looks at random moments, because regular looks could fall into step with periodic work of the target. Returns a
 * function that stops the looks.
 */
function lookAtRandom(
  apart: typeof APART,
  isMeasured: () => boolean,
  look: () => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  // The fastest look is taken as the cost of a look, because slower ones may have waited for a
  // core.
  let takesMs = Infinity;
  const lookLater = (): void => {
    const apartMs = Math.max(apart.leastMs, takesMs < Infinity ? apart.times * takesMs : 0);
    timer = setTimeout(lookNow, apartMs * (0.5 + Math.random())).unref();
  };
  const lookNow = (): void => {
    if (isMeasured()) {
      const beganMs = performance.now();
      look();
      takesMs = Math.min(takesMs, performance.now() - beganMs);
    }
    lookLater();
  };
  lookLater();
  return () => clearTimeout(timer);
}

interface Seen {
  readonly looks: readonly Look[];
  readonly queues: readonly AcceptQueue[];
  readonly storageBytes: number | null;
}

export function waitsOf({ looks, queues, storageBytes }: Seen): TargetWaits {
  const lookups = looks.flatMap((look) => look.lookups ?? []);
  const queued = queues.map((queue) => queue.queued);
  const accepted = queues.flatMap((queue) => queue.accepted ?? []);
  return {
    looks: looks.length,
    sleeping: meanOf(looks.map(({ sleeping }) => sleeping)),
    storageBytes,
    lookups: lookups.length < looks.length ? null : meanOf(lookups),
    connections: queues.length < LEAST_AT_CONNECTIONS ? null : {
      looks: queues.length,
      leastQueued: Math.min(...queued),
      queued: meanOf(queued),
      accepted: accepted.length < queues.length
        ? null
        : { least: Math.min(...accepted), most: Math.max(...accepted) },
    },
  };
}

/** One look; null if there are no threads, or more than `MOST_THREADS`. */
function lookAt(pids: readonly number[], inNamespaceOf: number): Look | null {
  const states = pids.flatMap((pid) => readThreadStates(pid, MOST_THREADS));
  if (states.length === 0 || states.length > MOST_THREADS) return null;
  return {
    sleeping: states.filter((state) => state === "D").length,
    lookups: lookupsOf(pids, inNamespaceOf),
  };
}

/**
 * The number of sockets that are connected to a name server; null if they cannot be seen. Reading the open files of the
 * processes takes longer, so it is done only if there is any such socket in the network namespace.
 */
function lookupsOf(pids: readonly number[], inNamespaceOf: number): number | null {
  const sockets = readNameServerSockets(inNamespaceOf);
  if (sockets === null || sockets.length === 0) return sockets && 0;
  return pids.flatMap(openFilesOf).filter((link) => sockets.includes(link)).length;
}

function treesOf(roots: readonly number[]): number[] {
  return [...new Set(roots.flatMap((pid) => [pid, ...descendantsOf(pid)]))];
}

/**
 * The number of bytes that the processes have read from and written to storage; null if this user may not see it for
 * one of them.
 */
function storageBytesOf(pids: readonly number[]): number | null {
  const all = pids.map(readStorageBytes);
  return all.reduce<number | null>(
    (sum, bytes) => sum === null || bytes === null ? null : sum + bytes,
    0,
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
