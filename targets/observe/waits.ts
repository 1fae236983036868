/**
 * What the threads of a target wait for while they do not compute, by looks at random moments: storage, a name server,
 * or clients that were not accepted. The mean number of waiting threads, divided by the rate of requests, is how
 * long each request waits (J. D. C. Little, "A Proof for the Queuing Formula L = λW", 1961). Linux only.
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
  /** The number of looks at threads, and at sockets of name servers. */
  readonly looks: number;
  /** The average number of threads in uninterruptible sleep, which usually wait for storage. */
  readonly sleeping: number;
  /** The number of bytes read from storage or written to it; null if this user may not see it. */
  readonly storageBytes: number | null;
  /** The average number of sockets connected to a name server; null if they cannot be seen. */
  readonly lookups: number | null;
  /** The connections of the target's port; null if they cannot be seen, or there is no port. */
  readonly connections: {
    readonly looks: number;
    /** The number of connections not yet accepted: the least at any look, and the average. */
    readonly leastQueued: number;
    readonly queued: number;
    /** The number of accepted and open connections: the least and the most; null if there were too many to count. */
    readonly accepted: { readonly least: number; readonly most: number } | null;
  } | null;
}

/** One look at threads. */
interface Look {
  readonly sleeping: number;
  readonly lookups: number | null;
}

/**
 * The time between two looks: at least `leastMs`, and at least `times` the length of a look, so that looks take at most
 * 1 % of a core.
 */
const APART = { leastMs: 15, times: 100 };
/**
 * Like `APART`, for looks at connections, which take longer and can be rarer because the state of connections lasts:
 * at most 0.5 % of a core.
 */
const CONNECTIONS_APART = { leastMs: 250, times: 200 };
/** The number of looks for each search for processes. */
const LOOKS_A_SEARCH = 10;
/** The most threads to look at; with more, a look takes too long. */
const MOST_THREADS = 256;
/** The most looks; those of one minute are enough to estimate a mean. */
const MOST_LOOKS = 4_000;
/** The fewest looks from which the length of waits can be estimated. */
const LEAST_LOOKS = 15;
/** The fewest looks at connections from which a limit of accepted connections can be seen. */
const LEAST_AT_CONNECTIONS = 3;

interface WaitsWatch {
  /** The port of the processes that accept connections; null: a unix socket. */
  readonly port: number | null;
  /** Whether the target is measured now: what it waits for at rest says nothing of its requests. */
  readonly isMeasured: () => boolean;
}

/**
 * Begins to look; returns a function that stops the looks, and returns null if too little was seen.
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
 * Looks at random moments, because regular looks would coincide with whatever a target does regularly. Returns a
 * function that stops the looks.
 */
function lookAtRandom(
  apart: typeof APART,
  isMeasured: () => boolean,
  look: () => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  // The time of the quickest look is taken as the cost of a look, because slower looks may have waited for a core.
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

/** One look; null if there are too many threads, or none. */
function lookAt(pids: readonly number[], inNamespaceOf: number): Look | null {
  const states = pids.flatMap((pid) => readThreadStates(pid, MOST_THREADS));
  if (states.length === 0 || states.length > MOST_THREADS) return null;
  return {
    sleeping: states.filter((state) => state === "D").length,
    lookups: lookupsOf(pids, inNamespaceOf),
  };
}

/**
 * The number of sockets connected to a name server. The links of open files are read only if somebody has such a
 * socket.
 */
function lookupsOf(pids: readonly number[], inNamespaceOf: number): number | null {
  const sockets = readNameServerSockets(inNamespaceOf);
  if (sockets === null || sockets.length === 0) return sockets && 0;
  return pids.flatMap(openFilesOf).filter((link) => sockets.includes(link)).length;
}

function treesOf(roots: readonly number[]): number[] {
  return [...new Set(roots.flatMap((pid) => [pid, ...descendantsOf(pid)]))];
}

/** The bytes that these processes have read and written; null if this user may not see them for every process. */
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
