/** How it was measured, on what, and how to do it again, in words. */
import type { Results, Run } from "../runner/result.ts";
import { RESAMPLES } from "../runner/stats/cell_estimates.ts";
import { LOOK_CONFIDENCE } from "../runner/stats/sequential.ts";
import { loadText } from "./load.ts";
import { repeatedOf } from "./repeated.ts";
import { counted, listed, unique } from "./words.ts";
import { formatCount, formatDuration, formatMoment, formatMs, formatShare } from "./units.ts";

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** The lines under the title: what, where, when, how long. */
export function factsOf(results: Results): Fact[] {
  const { machine, runs, planned, seed } = results;
  const targets = new Set(runs.map(({ target }) => target)).size;
  const scenarios = new Set(runs.map(({ scenario }) => scenario)).size;
  return [
    {
      label: "Measured",
      text: `${counted(targets, "target")} in ${counted(scenarios, "scenario")}, ${
        runsText(runs.length, planned)
      }`,
    },
    { label: "Load of a run", text: loadText(runs) },
    { label: "On", text: `${machine.hostname}: ${machine.cpu}, ${counted(machine.cores, "core")}` },
    { label: "At", text: whenText(results) },
    { label: "Seed", text: String(seed) },
  ].filter(({ text }) => text !== "");
}

function runsText(made: number, planned: number): string {
  return made === planned ? counted(made, "run") : `${made} of ${counted(planned, "run")}`;
}

export function methodSentences(results: Results): string[] {
  const { experiment, runs, seed } = results;
  const timeouts = unique(runs.map(({ load }) => formatMs(load.timeout)));
  return [
    experiment.fresh === false
      ? "A target's process served all of its runs."
      : "Every run had a fresh process of its target, which had to give the right answer before it was loaded.",
    experiment.order === "sequential"
      ? "The runs were made in the order of the experiment file."
      : `The runs were made in shuffled blocks, each block every cell once (seed ${seed}), so that a drift of the machine meets all cells alike.`,
    ...pinSentences(experiment.pin),
    ...clockSentences(runs),
    `Nothing leaves the data: a request without a whole answer ${
      timeouts.length ? `after ${listed(timeouts)} ` : ""
    }has failed, and it is in the distribution at the time it had taken, as are the requests in flight at the end.`,
    ...discardSentences(results),
    "Requests/s are completed answers, whatever their status, over the time of the run. Where a cell has several runs the median is given, with the lowest and highest run.",
    ...confidenceSentences(results),
    "Times are kept in histograms of three significant digits from 1 µs to 1 hour (HdrHistogram); those of several runs are added, never averaged.",
  ];
}

/** @param pin As the experiment has it; its schema stands in scenarios/pin.ts. */
function pinSentences(pin: unknown): string[] {
  const { targets, workers }: { targets?: unknown; workers?: unknown } = Object(pin);
  const kept = [
    ...targets === undefined ? [] : [`targets to ${coresText(String(targets))}`],
    ...workers === undefined ? [] : [`the load generator to ${coresText(String(workers))}`],
  ];
  return kept.length === 0 ? [] : [`The system kept ${kept.join(" and ")}.`];
}

function discardSentences(results: Results): string[] {
  const { discardS } = repeatedOf(results);
  if (discardS === 0) return [];
  return [
    `The first ${
      formatDuration(discardS)
    } of every run are left out of rates, latencies and their intervals, as the experiment says. Outcomes, CPU and memory, timelines and steady states are of whole runs, and results.json keeps everything.`,
  ];
}

function confidenceSentences(results: Results): string[] {
  const { level } = repeatedOf(results);
  return [
    `Intervals in square brackets are 95 % confidence intervals from a hierarchical bootstrap of ${
      formatCount(RESAMPLES)
    } resamples (runs, then tenths of a run, their histograms added), as wide as Student's t makes them for so few runs. A run is one sample, however many requests it has.`,
    ...(level === LOOK_CONFIDENCE
      ? [
        `As the runs were looked at to decide whether to go on, intervals were computed at ${
          formatShare(level)
        }; they then cover in 95 of 100 cases or more.`,
      ]
      : []),
  ];
}

/** @param list Such as `0` or `0-3,6`. */
function coresText(list: string): string {
  return `${/^\d+$/.test(list) ? "core" : "cores"} ${list}`;
}

function clockSentences(runs: readonly Run[]): string[] {
  const isClosed = ({ load }: Run): boolean => load.kind === "closed";
  return [
    ...(runs.some(isClosed)
      ? [
        "Closed loop: each connection sends its next request when the last answer is in. What is called latency is therefore the time of an answer under that many connections, from the send to the last byte; users who arrive at a pace of their own would also wait in line.",
      ]
      : []),
    ...(runs.every(isClosed) ? [] : [
      "Open loop: requests arrive at a pace of their own. What is called latency counts from the moment a request was due, so a wait for a free connection is in it; requests that were due and never sent are counted as dropped.",
    ]),
  ];
}

export function commandOf({ experiment, seed }: Results): string {
  return `plateau run ${experiment.name}.yaml --seed ${seed}`;
}

function whenText({ startedAt, finishedAt }: Results): string {
  return finishedAt === null
    ? formatMoment(startedAt)
    : `${formatMoment(startedAt)}, took ${formatDuration(secondsBetween(startedAt, finishedAt))}`;
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1_000;
}
