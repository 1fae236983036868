/** What kept each cell from serving more: decided where its runs agree, in a sentence for all cells of one kind. */
import type { Bottleneck } from "../../runner/result/findings.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { formatMs, formatNumber, formatShare } from "../writing/units.ts";
import { listed } from "../writing/words.ts";
import type { Finding } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";

type Kind = Bottleneck["kind"];
type Grounds = Omit<Bottleneck, "kind">;

/** So many of a cell's runs have to agree. */
const AGREE = 2 / 3;
/** Of the service time, in CPU time: with less, a request mostly waits. */
const MOSTLY_WORK = 0.3;
/** Of a core: with less, it is filled by several threads in turns. */
const MOSTLY_ONE = 0.9;
/** Of a core, of all cores, of a limit: a target that uses so much is near its limit. */
const LITTLE_LEFT = 0.8;
/** Of the run. */
const PAUSED = 0.05;
/** Cores: more are in use by threads that do not take turns at one. */
const MOST_OF_ONE = 1.2;
/** Of more than one beyond these, the rest are counted. */
const MOST_NAMED = 4;

/** In brackets, where there is any. */
type Evidence = (text: string | number | undefined) => string;

/** One for each kind that was found, in this order. */
const SENTENCES: Readonly<
  Record<Exclude<Kind, "unknown">, (seen: Grounds, evidence: Evidence) => string>
> = {
  core: ({ thread }, evidence) =>
    `${thread?.peers ? "each process fills a core" : "one core is full"}${
      evidence(
        thread && (thread.cpu >= MOSTLY_ONE
          ? `a thread of ${thread.name} has ${formatShare(thread.cpu)} of it`
          : `the threads of ${thread.name} compute in turns, and have ${
            formatShare(thread.processCpu ?? 0)
          } of a core together`),
      )
    }; more connections will not help, more processes may`,
  cores: ({ cpu, cores }, evidence) =>
    `${cores === 1 ? "its only core is" : "all cores are"} full${
      evidence(cpu && `the target has ${cpu.toFixed(1)} of ${cores ?? "them"}`)
    }; only less work a request, or more cores, will help`,
  kernel: ({ kernelShare, cpu = 0 }, evidence) =>
    `${
      cpu > MOST_OF_ONE ? "its cores are" : "one core is"
    } full, with the kernel's work for it, such as the network's, more than with its own${
      evidence(kernelShare && `${formatShare(kernelShare)} of the CPU time in the kernel`)
    }`,
  redis: ({ redisBusy = 0, redisCpu = 0 }, evidence) =>
    (redisBusy >= redisCpu
      ? `Redis carries out commands nearly all the time${
        evidence(redisBusy && formatShare(redisBusy))
      }`
      : `Redis fills a core${evidence(formatShare(redisCpu))}`) +
    "; fewer or cheaper commands will help",
  lock: ({ service, connections = 0, atOnce = 0 }, evidence) =>
    `the target is not busy, and requests are served one at a time${
      evidence(
        service &&
          `of ${formatMs(service)}, a request waits ${
            formatShare(1 - atOnce / connections)
          } for the others`,
      )
    }: for a lock, a rate limit, or a single worker that itself waits`,
  waiting: ({ service, cpuPerRequest, atOnce = 0 }, evidence) =>
    `the target is not busy, and requests wait${
      evidence(
        service && `of ${formatMs(service)}, ${formatMs(cpuPerRequest ?? 0)} are CPU time`,
      )
    }, ${
      atOnce === 0
        ? "such as for a timer, a disk, a lock, a pool or another service"
        : `in line for what serves about ${
          formatNumber(atOnce, 1)
        } of them at a time, such as a pool`
    }`,
  connections: ({ connections, cpuPerRequest = 0, service = 0 }, evidence) =>
    `too few connections${evidence(connections && String(connections))}, ${
      cpuPerRequest < MOSTLY_WORK * service
        ? "all of which wait for responses; more connections will serve more, unless those wait in line"
        : "as requests are worked on most of their time; more connections will serve more"
    }`,
  "cpu-limit": ({ limitCores, cpu }, evidence) =>
    `the CPU limit${
      evidence(limitCores && limitText(cpu ?? 0, limitCores))
    }; a higher limit will help`,
  "open-files": ({ files }, evidence) =>
    `it had as many files open as it may${
      evidence(files && `${files}, of which each connection is one`)
    }; a higher limit (ulimit -n) or fewer connections will help`,
  gc: ({ collectionShare, stoppedShare = 0, pauses }, evidence) =>
    (pauses
      ? `its garbage collection stops it${evidence(pausesEvidence(pauses))}`
      : `garbage collection takes much of its time${
        evidence(
          collectionShare === undefined
            ? `${formatShare(stoppedShare)} of the run`
            : `${formatShare(collectionShare)} of its CPU time`,
        )
      }`) + "; fewer objects a request will help, or a larger heap",
  "blocked-loop": ({ pauses }, evidence) =>
    `long computations block its event loop${
      evidence(pauses && pausesEvidence(pauses))
    }; to split them, or to move them to a worker, will help`,
  offered: (seen, evidence) => {
    const left = littleLeft(seen);
    return left === null
      ? "the load offered, all of which was served; plateau capacity finds the limit"
      : `the load offered, all of which was served, with little left${evidence(left)}`;
  },
  generator: () => "the generator was the limit; how much more would be served is unknown",
};

function pausesEvidence(
  { ms, share, requests, overlapping, expected }: NonNullable<Grounds["pauses"]>,
): string {
  return `for ${formatMs(ms)} at a time, ${
    formatShare(share)
  } of the run; ${overlapping} of the ${requests} ` +
    `slowest requests overlap it, by chance ${formatNumber(expected, 1)} would`;
}

/** What is nearly full; null: nothing that was seen. */
function littleLeft(
  { thread, cpu = 0, cores, limitCores, throttledShare = 0, redisBusy = 0, redisCpu = 0 }: Grounds,
): string | null {
  const redis = Math.max(redisBusy, redisCpu);
  if (thread && thread.cpu >= LITTLE_LEFT) {
    return `a thread of ${thread.name} has ${formatShare(thread.cpu)} of a core`;
  }
  if (limitCores !== undefined && cpu >= LITTLE_LEFT * limitCores) {
    return limitText(cpu, limitCores);
  }
  if (throttledShare >= PAUSED) return `CPU limits paused it for ${formatShare(throttledShare)}`;
  if (redis >= LITTLE_LEFT) return `Redis is busy for ${formatShare(redis)}`;
  if (cores !== undefined && cpu >= LITTLE_LEFT * cores) {
    return `the target has ${cpu.toFixed(1)} of ${cores} cores`;
  }
  const { processCpu = 0 } = thread ?? {};
  return thread && processCpu >= LITTLE_LEFT && processCpu <= MOST_OF_ONE
    ? `the threads of ${thread.name} have ${formatShare(processCpu)} of a core together`
    : null;
}

function limitText(cpu: number, limitCores: number): string {
  return `uses ${formatNumber(cpu, 2)} of ${limitCores} of a core`;
}

const evidenceOf: Evidence = (text) => text ? ` (${text})` : "";

/** `Bottleneck of express and koa: one core is full; …`. */
export function bottleneckFindings(cells: readonly CellRuns[]): Finding[] {
  const known = cells.flatMap((cell) => {
    const found = agreed(cell.runs);
    return found === null || found.kind === "unknown" ? [] : [{ label: cell.label, ...found }];
  });
  return Object.keys(SENTENCES).flatMap((kind) => {
    const same = known.filter((cell) => cell.kind === kind);
    return [...Map.groupBy(same, sharedSentence).values()]
      .map((group) => ({ code: `bottleneck.${kind}`, text: groupSentence(group) }));
  });
}

/** Without what was seen of one cell alone: to be said of all for which it is the same. */
function sharedSentence(cell: Bottleneck): string {
  return sentenceOf(withoutLine(cell), () => "");
}

function withoutLine({ atOnce: _, ...seen }: Bottleneck): Bottleneck {
  return seen;
}

function groupSentence(group: readonly (Bottleneck & { readonly label: string })[]): string {
  const left = group.length - MOST_NAMED;
  const labels = group.map(({ label }) => label);
  const names = left > 1 ? [...labels.slice(0, MOST_NAMED), `${left} more`] : labels;
  return `Bottleneck of ${listed(names, "and")}: ${
    group.length > 1 ? sharedSentence(group[0]) : sentenceOf(group[0], evidenceOf)
  }.`;
}

/** Of a measurement alone; "" where it is unknown. */
export function bottleneckSentence({ bottleneck }: Pick<Measurement, "bottleneck">): string {
  if (bottleneck === undefined || bottleneck.kind === "unknown") return "";
  return `Bottleneck: ${sentenceOf(bottleneck, evidenceOf)}.`;
}

function sentenceOf({ kind, ...seen }: Bottleneck, evidence: Evidence): string {
  return kind === "unknown" ? "" : SENTENCES[kind](seen, evidence);
}

/** With what was seen in the first of the runs that agree, but for a line that others lack; null where they don't. */
function agreed(runs: readonly Pick<Measurement, "bottleneck">[]): Bottleneck | null {
  const found = runs.flatMap(({ bottleneck }) => bottleneck ?? []);
  const [most] = [...Map.groupBy(found, ({ kind }) => kind).values()]
    .sort((a, b) => b.length - a.length);
  if (most === undefined || most.length < AGREE * runs.length) return null;
  return most.every(({ atOnce }) => atOnce !== undefined) ? most[0] : withoutLine(most[0]);
}
