/** What kept each cell from serving more: decided where its runs agree, in a sentence for all cells of one kind. */
import type { Bottleneck } from "../../../runner/result/findings.ts";
import type { Measurement } from "../../../runner/result/result.ts";
import { formatMs, formatNumber, formatPercent } from "../numbers/units.ts";
import { counted, listed } from "../numbers/words.ts";
import type { CellRuns } from "../runs/cells.ts";

type Seen = Omit<Bottleneck, "kind">;

/** So many of a cell's runs have to agree. */
const AGREE = 2 / 3;
/** Of the service time, in CPU time: with less, a request mostly waits. */
const MOSTLY_WORK = 0.3;
/** Of a core: a target that uses so much is near its limit. */
const LITTLE_LEFT = 0.8;
/** More cells are counted. */
const MOST_NAMED = 4;

/** One for each kind that was found, in this order; none where every cell is unknown. */
const SENTENCES: Readonly<Record<Exclude<Bottleneck["kind"], "unknown">, (seen: Seen) => string>> =
  {
    core: ({ thread }) =>
      `one core is full${
        thread === undefined
          ? ""
          : ` (a thread of ${thread.name} has ${formatPercent(thread.cpu)} of it)`
      }: more connections will not help, more processes may`,
    cores: ({ cpu = 0, cores }) =>
      `all cores are full (the target has ${cpu.toFixed(1)} of ${
        cores ?? "them"
      }): only less work a request, or more ` +
      "cores, will help",
    kernel: ({ kernelShare = 0 }) =>
      `its core is full, with ${
        formatPercent(kernelShare)
      } of the time in the kernel: the network's work, and not the ` +
      "program's, is the limit",
    redis: ({ redisBusy = 0 }) =>
      `waits for Redis, which carries out commands ${
        formatPercent(redisBusy)
      } of the time: fewer or cheaper commands ` +
      "will help",
    waiting: ({ service = 0, cpuPerRequest = 0 }) =>
      `nothing is busy: a request takes ${formatMs(service)}, with ${
        formatMs(cpuPerRequest)
      } of CPU time, and waits for ` +
      "the rest, such as for a timer, a lock, a pool or another service",
    connections: ({ connections = 1, cpuPerRequest = 0, service = 0 }) =>
      cpuPerRequest < MOSTLY_WORK * service
        ? `all ${
          counted(connections, "connection")
        } wait for responses, and requests for one of them: more connections ` +
          "will serve more"
        : `works on each request most of its time, and has only ${
          counted(connections, "connection")
        }: more will serve more`,
    "cpu-limit": ({ limitCores, cpu = 0 }) =>
      `its CPU limit holds it back${
        limitCores === undefined
          ? ""
          : ` (it uses ${formatNumber(cpu, 2)} of ${limitCores} of a core)`
      }: a higher limit will help`,
    offered: ({ thread }) =>
      thread !== undefined && thread.cpu >= LITTLE_LEFT
        ? `served all that was offered, and has little left: a thread of ${thread.name} has ` +
          `${formatPercent(thread.cpu)} of a core`
        : "served all that was offered: its limit is higher, and plateau capacity finds it",
    generator: () => "the generator was the limit: how much more it serves is unknown",
  };

/** `express, koa: one core is full (…): …`. */
export function bottleneckFindings(cells: readonly CellRuns[]): string[] {
  const known = cells.flatMap((cell) => {
    const found = agreed(cell.runs);
    return found === null || found.kind === "unknown" ? [] : [{ label: cell.label, ...found }];
  });
  const byKind = Map.groupBy(known, ({ kind }) => kind);
  return Object.keys(SENTENCES).flatMap((kind) => {
    const group = byKind.get(kind as Bottleneck["kind"]) ?? [];
    if (group.length === 0) return [];
    const left = group.length - MOST_NAMED;
    const named = group.slice(0, MOST_NAMED).map(({ label }) => label);
    const names = listed(left > 0 ? [...named, counted(left, "more cell")] : named, "and");
    return [`${names}: ${sentenceOf(group[0])}.`];
  });
}

/** Of a measurement alone; "" where it is unknown. */
export function bottleneckSentence({ bottleneck }: Pick<Measurement, "bottleneck">): string {
  if (bottleneck === undefined || bottleneck.kind === "unknown") return "";
  return `Bottleneck: ${sentenceOf(bottleneck)}.`;
}

function sentenceOf(bottleneck: Bottleneck): string {
  const { kind, ...seen } = bottleneck;
  return kind === "unknown" ? "" : SENTENCES[kind](seen);
}

/** With what was seen in the first of the runs that agree; null where they don't. */
function agreed(runs: readonly Pick<Measurement, "bottleneck">[]): Bottleneck | null {
  const found = runs.flatMap(({ bottleneck }) => bottleneck ?? []);
  const [most] = [...Map.groupBy(found, ({ kind }) => kind).values()]
    .sort((a, b) => b.length - a.length);
  return most !== undefined && most.length >= AGREE * runs.length ? most[0] : null;
}
