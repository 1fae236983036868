/**
 * What kept each cell from serving more. A bottleneck is stated if the cell's runs agree on it, in one sentence for all
 * cells that have the same one.
 */
import type { Bottleneck } from "../../runner/result/findings.ts";
import type { Measurement } from "../../runner/result/result.ts";
import type { Finding } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { formatCount, formatMs, formatNumber, formatShare } from "../writing/units.ts";
import { counted, listed } from "../writing/words.ts";

type Grounds = Omit<Bottleneck, "kind">;

/** Share of a cell's runs that must agree on the bottleneck. */
const AGREE = 2 / 3;
/** If CPU time is a smaller share of the service time than this, a request mostly waits. */
const MOSTLY_WORK = 0.3;
/** If one thread uses less of a core than this, several threads take turns on the core. */
const MOSTLY_ONE = 0.9;
/** A target is close to a limit if it uses this share of a core, of all cores, or of its CPU limit. */
const LITTLE_LEFT = 0.8;
/** CPU limits matter if they pause the target for at least this share of the run. */
const PAUSED = 0.05;
/** If more cores than this are in use, the target's threads do more than take turns on one core. */
const MOST_OF_ONE = 1.2;
/**
 * Number of cells that are named for one bottleneck. If there is only one more, it is named as well; two or more are
 * only counted.
 */
const MOST_NAMED = 4;

/** A statement, the observation that supports it in one cell (older results may lack it), and its consequence. */
type Said = readonly [
  what: string,
  seen: string | number | false | null | undefined,
  then?: string,
];

/** Ways in which the experiment already looks into its targets, so that the report need not suggest them. */
export interface Looks {
  readonly profiled: boolean;
  readonly observed: boolean;
}

/** The sentence for each kind of bottleneck, in the order of the report; null for no sentence. */
const SENTENCES: Readonly<
  Record<Bottleneck["kind"], (seen: Grounds, looks: Looks) => Said | null>
> = {
  core: ({ thread }) => [
    thread?.peers ? "each process fills a core" : "one core is full",
    thread &&
    (thread.cpu >= MOSTLY_ONE
      ? `a thread of ${thread.name} uses ${formatShare(thread.cpu)} of it`
      : `the threads of ${thread.name} compute in turn, and use ${
        formatShare(thread.processCpu ?? 0)
      } of a core together`),
    "; more connections will not help, but more processes may",
  ],
  cores: ({ cpu, cores }) => [
    `${cores === 1 ? "its only core is" : "all cores are"} full`,
    cpu &&
    `the target uses ${cpu.toFixed(1)} of ${cores === undefined ? "them" : counted(cores, "core")}`,
    "; only less work per request, or more cores, will help",
  ],
  kernel: ({ kernelShare, cpu = 0 }) => [
    `${
      cpu > MOST_OF_ONE ? "its cores are" : "one core is"
    } full, mostly with the kernel's work for the target, such as networking`,
    kernelShare && `${formatShare(kernelShare)} of the target's CPU time is spent in the kernel`,
  ],
  redis: ({ redisBusy = 0, redisCpu = 0 }) => [
    redisBusy >= redisCpu ? "Redis executes commands nearly all the time" : "Redis fills a core",
    redisBusy + redisCpu && `${formatShare(Math.max(redisBusy, redisCpu))} of it`,
    "; fewer or cheaper commands will help",
  ],
  lock: ({ service, connections = 0, atOnce = 0 }) => [
    "the target is not busy, and requests are served one at a time",
    service &&
    `${serviceText(service)}, and ${
      formatShare(1 - atOnce / connections)
    } of it is spent waiting for the others`,
    "; they wait for a lock, a rate limit, or a single worker that itself waits",
  ],
  waiting: ({ service, cpuPerRequest = 0, atOnce = 0 }) => [
    "the target is not busy, and requests wait",
    service && `${serviceText(service)}, of which ${formatMs(cpuPerRequest)} are CPU time`,
    atOnce === 0
      ? "; they may wait for a timer, a disk, a lock, a pool or another service"
      : `; they wait in line for something that serves about ${
        formatCount(Math.round(atOnce))
      } of them at a time, such as a pool`,
  ],
  storage: ({ sleeping = 0, underWay }) => [
    "requests wait for storage",
    underWay &&
    `on average, ${formatNumber(sleeping, 1)} threads sleep in reads or writes while ${
      formatNumber(underWay, 1)
    } requests are under way`,
    "; fewer or combined writes (fsync) per request, or faster storage, will help",
  ],
  names: ({ lookups = 0, underWay }) => [
    "requests wait for name look-ups (DNS)",
    underWay &&
    `on average, ${formatNumber(lookups, 1)} sockets to a name server are open while ${
      formatNumber(underWay, 1)
    } requests are under way`,
    "; caching addresses, keeping connections open or a faster name server will help",
  ],
  "connection-cap": ({ taken, connections }) => [
    "a cap on connections: the target is not busy, but leaves some connections waiting, or closes them",
    taken !== undefined && connections !== undefined &&
    `it accepted ${taken} of ${connections} connections`,
    "; a higher cap, more workers or fewer connections will help",
  ],
  connections: ({ connections, cpuPerRequest = 0, service = 0 }) => [
    "too few connections",
    connections,
    cpuPerRequest < MOSTLY_WORK * service
      ? ", all of which wait for responses; more connections will serve more, unless their requests then wait in line"
      : ": requests spend much of their time computing, so more connections will serve more",
  ],
  "cpu-limit": ({ limitCores, cpu = 0 }) => [
    "the CPU limit",
    limitCores && limitText(cpu, limitCores),
    "; a higher limit will help",
  ],
  "open-files": ({ files }) => [
    "the target reached its limit of open files",
    files && `${files} are open, and each connection counts as one`,
    "; a higher limit (ulimit -n) or fewer connections will help",
  ],
  gc: ({ collectionShare, stoppedShare = 0, pauses }) => [
    pauses
      ? "garbage collection stops the target"
      : "garbage collection takes much of the target's time",
    pauses
      ? pausesText(pauses)
      : collectionShare === undefined
      ? `${formatShare(stoppedShare)} of the run`
      : `${formatShare(collectionShare)} of its CPU time`,
    "; fewer objects per request or a larger heap will help",
  ],
  "blocked-loop": ({ pauses }) => [
    "long computations block the target's event loop",
    pauses && pausesText(pauses),
    "; splitting them, or moving them to a worker, will help",
  ],
  offered: (seen) => {
    const left = littleLeft(seen);
    return left === null
      ? ["the offered load, all of which was served; `plateau capacity` finds the limit", null]
      : ["the offered load, all of which was served, with little capacity left", left];
  },
  generator:
    () => ["the generator was the limit; how much more the target could serve is unknown", null],
  unknown: ({ service, cpuPerRequest, waitingShare }, looks) => {
    if (waitingShare !== undefined) {
      return [
        "unknown, because other programs took cores that the target needed",
        `it waited for a core during ${formatShare(waitingShare)} of the time that it had work`,
        "; only a run without these programs can show what limits the target",
      ];
    }
    return service && cpuPerRequest !== undefined
      ? [
        "unknown: nothing that was observed explains where most requests spend their time",
        `${serviceText(service)}, of which ${formatMs(cpuPerRequest)} are CPU time`,
        lookText(looks),
      ]
      : null;
  },
};

/** Names the service time as such, because the latency beside it is longer if requests are sent late. */
function serviceText(ms: number): string {
  return `the mean service time is ${formatMs(ms)}`;
}

/** Further ways to look into a target; "" if all of them are in use. */
function lookText({ profiled, observed }: Looks): string {
  const looks = [
    ...profiled ? [] : ["`plateau run --profile` shows which code uses the CPU time"],
    ...observed ? [] : ["`plateau run --observe runtime` shows garbage collection"],
  ];
  return looks.length === 0 ? "" : `; ${listed(looks, "and")}`;
}

function pausesText(
  { ms, share, requests, overlapping, expected }: NonNullable<Grounds["pauses"]>,
): string {
  return `for ${formatMs(ms)} at a time, ${
    formatShare(share)
  } of the run; ${overlapping} of the ${requests} ` +
    `slowest requests overlap a pause, where ${formatNumber(expected, 1)} would by chance`;
}

/** The resource that is nearly exhausted; null if no such resource is known. */
function littleLeft(
  { thread, cpu = 0, cores, limitCores, throttledShare = 0, redisBusy = 0, redisCpu = 0 }: Grounds,
): string | null {
  const redis = Math.max(redisBusy, redisCpu);
  const { cpu: threadCpu = 0, processCpu = 0, name } = thread ?? {};
  if (threadCpu >= LITTLE_LEFT) {
    return `a thread of ${name} uses ${formatShare(threadCpu)} of a core`;
  }
  if (limitCores !== undefined && cpu >= LITTLE_LEFT * limitCores) {
    return limitText(cpu, limitCores);
  }
  if (throttledShare >= PAUSED) {
    return `CPU limits paused the target for ${formatShare(throttledShare)} of the time`;
  }
  if (redis >= LITTLE_LEFT) {
    return redisBusy >= redisCpu
      ? `Redis executes commands for ${formatShare(redis)} of the time`
      : `Redis uses ${formatShare(redis)} of a core`;
  }
  if (cores !== undefined && cpu >= LITTLE_LEFT * cores) {
    return `the target uses ${cpu.toFixed(1)} of ${cores} cores`;
  }
  return processCpu >= LITTLE_LEFT && processCpu <= MOST_OF_ONE
    ? `the threads of ${name} use ${formatShare(processCpu)} of a core together`
    : null;
}

function limitText(cpu: number, limitCores: number): string {
  return `the target uses ${formatNumber(cpu, 2)} cores, and its limit is ${limitCores}`;
}

/** Sentences such as `Bottleneck of express and koa: one core is full; …`. */
export function bottleneckFindings(cells: readonly CellRuns[], looks: Looks): Finding[] {
  const known = cells.flatMap(({ label, runs }) => {
    const found = agreed(runs);
    if (found === null) return [];
    const { atOnce: _, ...alike } = found;
    return [{ label, found, shared: sentenceOf(alike, looks, false) }];
  });
  return Object.keys(SENTENCES).flatMap((kind) => {
    const same = known.filter(({ found, shared }) => found.kind === kind && shared !== "");
    return [...Map.groupBy(same, ({ shared }) => shared)].map(([shared, group]) => {
      const [{ found }] = group;
      const labels = group.map(({ label }) => label);
      const left = labels.length - MOST_NAMED;
      const names = left > 1 ? [...labels.slice(0, MOST_NAMED), `${left} more`] : labels;
      // An observation that was made in one cell is left out of a sentence about several cells.
      const text = group.length > 1 ? shared : sentenceOf(found, looks);
      return {
        code: `bottleneck.${kind}`,
        text: `Bottleneck of ${listed(names, "and")}: ${text}.`,
      };
    });
  });
}

/** The bottleneck of a single measurement; "" if it is unknown. */
export function bottleneckSentence({ bottleneck }: Pick<Measurement, "bottleneck">): string {
  // A single measurement is neither profiled nor observed.
  const looks = { profiled: false, observed: false };
  const text = bottleneck === undefined ? "" : sentenceOf(bottleneck, looks);
  return text && `Bottleneck: ${text}.`;
}

function sentenceOf({ kind, ...grounds }: Bottleneck, looks: Looks, isWhole = true): string {
  const [what, seen, then = ""] = SENTENCES[kind](grounds, looks) ?? ["", null];
  return `${what}${isWhole && seen ? ` (${seen})` : ""}${then}`;
}

/**
 * The bottleneck that most runs agree on, with the observations of the first of these runs. Null if too few runs agree.
 * `atOnce` and `waitingShare` are left out unless all of these runs have them.
 */
function agreed(runs: readonly Pick<Measurement, "bottleneck">[]): Bottleneck | null {
  const found = runs.flatMap(({ bottleneck }) => bottleneck ?? []);
  const [most] = [...Map.groupBy(found, ({ kind }) => kind).values()]
    .sort((a, b) => b.length - a.length);
  if (most === undefined || most.length < AGREE * runs.length) return null;
  const { atOnce, waitingShare, ...seen } = most[0];
  return {
    ...seen,
    ...most.every((one) => one.atOnce !== undefined) && { atOnce },
    ...most.every((one) => one.waitingShare !== undefined) && { waitingShare },
  };
}
