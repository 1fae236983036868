/** What kept each cell from serving more: decided where its runs agree, in a sentence for all cells of one kind. */
import type { Bottleneck } from "../../../runner/result/findings.ts";
import type { Measurement } from "../../../runner/result/result.ts";
import { formatMs, formatNumber, formatShare } from "../numbers/units.ts";
import { listed } from "../numbers/words.ts";
import type { CellRuns } from "../runs/cells.ts";

type Kind = Bottleneck["kind"];
type Seen = Omit<Bottleneck, "kind">;

/** So many of a cell's runs have to agree. */
const AGREE = 2 / 3;
/** Of more than one beyond these, the rest are counted. */
const MOST_NAMED = 4;

/** One for each kind that was found, in this order. Evidence is of one cell: a sentence about several has none. */
const SENTENCES: Readonly<Record<Exclude<Kind, "unknown">, (seen: Seen) => string>> = {
  core: ({ thread }) =>
    `one core is full${
      evidence(thread && `a thread of ${thread.name} has ${formatShare(thread.cpu)} of it`)
    }; more connections will not help, more processes may`,
  cores: ({ cpu, cores }) =>
    `all cores are full${
      evidence(cpu && `the target has ${cpu.toFixed(1)} of ${cores ?? "them"}`)
    }; only less work a request, or more cores, will help`,
  kernel: ({ kernelShare }) =>
    `one core is full, with the network's work and not the program's${
      evidence(kernelShare && `${formatShare(kernelShare)} of the CPU time in the kernel`)
    }`,
  redis: ({ redisBusy }) =>
    `Redis carries out commands all the time${
      evidence(redisBusy && formatShare(redisBusy))
    }; fewer or cheaper commands will help`,
  waiting: ({ service, cpuPerRequest }) =>
    `requests wait, and nothing is busy${
      evidence(
        service && `of ${formatMs(service)}, ${formatMs(cpuPerRequest ?? 0)} are CPU time`,
      )
    }; more connections will serve more, or a shorter wait`,
  connections: ({ connections }) =>
    `too few connections${
      evidence(connections && String(connections))
    }, as requests are worked on most of their time; more connections will serve more`,
  "cpu-limit": ({ limitCores, cpu }) =>
    `the CPU limit${
      evidence(limitCores && `uses ${formatNumber(cpu ?? 0, 2)} of ${limitCores} of a core`)
    }; a higher limit will help`,
  offered: () =>
    "the load offered, all of which was served; the limit is higher, and plateau capacity finds it",
  generator: () => "the generator was the limit; how much more would be served is unknown",
};

function evidence(text: string | number | undefined): string {
  return text ? ` (${text})` : "";
}

/** To follow "Bottleneck of": `express and koa: one core is full; …`. */
export function bottleneckFindings(cells: readonly CellRuns[]): string[] {
  const known = cells.flatMap((cell) => {
    const found = agreed(cell.runs);
    return found === null || found.kind === "unknown" ? [] : [{ label: cell.label, ...found }];
  });
  const byKind = Map.groupBy(known, ({ kind }) => kind);
  return Object.keys(SENTENCES).flatMap((kind) => {
    const group = byKind.get(kind as Kind) ?? [];
    if (group.length === 0) return [];
    const left = group.length - MOST_NAMED;
    const labels = group.map(({ label }) => label);
    const names = left > 1 ? [...labels.slice(0, MOST_NAMED), `${left} more`] : labels;
    const sentence = sentenceOf(group.length === 1 ? group[0] : { kind: group[0].kind });
    return [`${listed(names, "and")}: ${sentence}.`];
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
