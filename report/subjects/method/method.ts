/** How it was measured, on what, and how to do it again, in words. */
import type { Results, Run } from "../../../runner/result/result.ts";
import { RESAMPLES } from "../../../runner/stats/confidence/bootstrap.ts";
import { LOOK_CONFIDENCE } from "../../../runner/stats/confidence/sequential.ts";
import { agentsText } from "../agents/agents.ts";
import {
  formatCount,
  formatDuration,
  formatExactly,
  formatMoment,
  formatMs,
  formatShare,
} from "../../writing/units.ts";
import type { Fact } from "../../blocks.ts";
import { counted, listed, listedAll, unique } from "../../writing/words.ts";
import { namesInOrder, repeatedOf } from "../../cells/cells.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import { commandSentences } from "./commands.ts";
import { loadText, parametersText, requestText, scenarioLoads } from "./load.ts";

/** The lines under the title: what, where, when, how long. */
export function factsOf(results: MeasuredRuns): Fact[] {
  const { experiment, machine, runs, planned = runs.length, seed } = results;
  const targets = new Set(runs.map(({ target }) => target)).size;
  const scenarios = new Set(runs.map(({ scenario }) => scenario)).size;
  const measured = `${counted(targets, "target")} in ${counted(scenarios, "scenario")}, ${
    runsText(runs.length, planned)
  }`;
  return [
    runs.length === 0
      ? { label: "To be measured", text: toComeText(results) }
      : { label: "Measured", text: measured },
    { label: "Load of a run", text: loadFact(results) },
    { label: "Agents", text: agentsText(runs) },
    { label: "Parameters", text: parametersText(experiment?.parameters) },
    { label: "On", text: `${machine.hostname}: ${machine.cpu}, ${counted(machine.cores, "core")}` },
    { label: "At", text: whenText(results) },
    { label: "Seed", text: String(seed) },
  ].filter(({ text }) => text !== "");
}

/** One load for all, or where to look for those of the scenarios. */
function loadFact(results: MeasuredRuns): string {
  const different = unique([...scenarioLoads(results).values()]);
  return different.length === 0
    ? loadText(results.runs)
    : `${different.length} different loads, given with each scenario`;
}

function runsText(made: number, planned: number): string {
  return made === planned ? counted(made, "run") : `${made} of ${counted(planned, "run")}`;
}

/** Of an experiment, or of a run alone. */
export function methodSentences(results: MeasuredRuns): string[] {
  const { experiment, seed } = results;
  if (experiment === undefined) return measuredSentences(results.runs);
  return [
    ...processSentences(experiment, results.runs),
    experiment.order === "sequential"
      ? "The runs were made in the order of the experiment file."
      : `The runs were made in shuffled blocks, each block every cell once (seed ${seed}), so that a drift of the machine meets all cells alike.`,
    ...commandSentences(results.commands),
    ...pinSentences(experiment.pin),
    ...loadSentences(results),
    ...measuredSentences(results.runs),
    ...discardSentences(results),
    ...detectableSentences(results),
    "Where a cell has several runs, Requests/s is their mean, and the histograms of their latencies are added, never averaged.",
    ...confidenceSentences(results),
  ];
}

function detectableSentences({ detectable }: MeasuredRuns): string[] {
  if (detectable === undefined) return [];
  const { measuredAt, blocks, sentence } = detectable;
  const when = `${formatMoment(measuredAt)}, from ${counted(blocks, "block")}`;
  return [`What comparisons can see on this machine (plateau plan, ${when}): ${sentence}`];
}

/** Of whatever was measured, be it a run of an experiment or a run alone. */
export function measuredSentences(runs: readonly Run[]): string[] {
  const timeouts = unique(runs.map(({ load }) => formatMs(load.timeout)));
  return [
    ...fleetSentences(runs),
    ...clockSentences(runs),
    `Nothing leaves the data: a request without a whole response ${
      timeouts.length ? `after ${listed(timeouts)} ` : ""
    }has failed, and it is in the distribution at the time it had taken, as are the requests that were unfinished at the end${
      runs.some(hasDroppedBounds) ? " and, at the time they had waited, those never sent" : ""
    }. Figures that these lower bounds could make larger are marked ≥.`,
    ...estimateSentences(runs),
    "Requests/s are completed responses, whatever their status, over the time of the run; what completes after its deadline is in the latencies alone.",
    "Times are kept in histograms of three significant digits from 1 µs to 1 hour (HdrHistogram).",
  ];
}

/** Results of earlier versions have no latency of requests that were never sent. */
function hasDroppedBounds({ requests, censoredHistogram }: Run): boolean {
  return requests.dropped > 0 && censoredHistogram !== undefined;
}

/** How percentiles are found among lower bounds; nothing where closed loops have none. */
function estimateSentences(runs: readonly Run[]): string[] {
  const isBounded = runs.some(({ latency, censoredHistogram }) =>
    latency.clock === "sent" && censoredHistogram !== undefined
  );
  return isBounded
    ? [
      "Percentiles of a closed loop are product-limit estimates (Kaplan and Meier), which spread the weight of a lower bound over the longer times; in an open loop a lower bound counts as a value.",
    ]
    : [];
}

/** Of names in a sentence. */
const MOST_LENGTH = 60;

/** Who served: processes that the experiment started, or servers that run without it. */
function processSentences(
  { targets, fresh, prove }: Results["experiment"],
  runs: readonly Run[],
): string[] {
  const measured = new Set(runs.map(({ target }) => target));
  const [own, others] = [false, true].map((isUrl) =>
    Object.entries(Object(targets)).flatMap(([name, target]) =>
      Object.hasOwn(Object(target), "url") === isUrl && (runs.length === 0 || measured.has(name))
        ? [name]
        : []
    )
  );
  const some = others.length === 0 ? "" : ` of ${listedAll(own, MOST_LENGTH)}`;
  const started = fresh === false
    ? "A target's process served all of its runs"
    : `Every run${some} had a fresh process of its target`;
  const [check, when] = prove === "apart"
    ? ["; another process of it had to pass the preflight check", "once, before its first run"]
    : [", which had to pass the preflight check before it was loaded", "before every run"];
  const names = listedAll(others, MOST_LENGTH);
  return [
    ...(own.length === 0 ? [] : [`${started}${check}.`]),
    ...(others.length === 0 ? [] : [
      `A target at a URL (${names}) is a server that ran already; it had to pass the preflight check ${when}.`,
    ]),
  ];
}

/** One for each load, where scenarios have their own. */
function loadSentences(results: MeasuredRuns): string[] {
  const byLoad = Map.groupBy(scenarioLoads(results), ([, load]) => load);
  return [...byLoad].map(([load, scenarios]) =>
    `Load of ${scenarios.map(([name]) => name).join(", ")}: ${load}.`
  );
}

function fleetSentences(runs: readonly Run[]): string[] {
  if (runs.every(({ agents }) => agents === undefined)) return [];
  return [
    "The load came from agents: connections and arrivals were split exactly over the workers of all, and all " +
    "began at one moment of Redis's clock. Their histograms are added. What an agent that was lost had still " +
    "to send counts as dropped.",
  ];
}

/** @param pin As the experiment has it; its schema stands in scenarios/load/pin.ts. */
function pinSentences(pin: unknown): string[] {
  const { targets, workers }: { targets?: unknown; workers?: unknown } = Object(pin);
  const kept = [
    ...targets === undefined ? [] : [`targets to ${coresText(String(targets))}`],
    ...workers === undefined ? [] : [`the load generator to ${coresText(String(workers))}`],
  ];
  return kept.length === 0 ? [] : [`The system kept ${kept.join(" and ")}.`];
}

function discardSentences(results: MeasuredRuns): string[] {
  const { discardS, figures } = repeatedOf(results);
  const steady = figures === "whole" ? [] : [
    "Rates, latencies and their intervals are of the steady part of every run, as the experiment says; a run without one has no part in them. Outcomes, CPU and memory, timelines and steady states are of whole runs, and results.json keeps everything.",
  ];
  if (discardS === 0) return steady;
  return [
    ...steady,
    `The first ${
      formatExactly(discardS)
    } of every run are left out of rates, latencies and their intervals, as the experiment says. Outcomes, CPU and memory, timelines and steady states are of whole runs, and results.json keeps everything.`,
  ];
}

function confidenceSentences(results: MeasuredRuns): string[] {
  const { level } = repeatedOf(results);
  return [
    `Intervals in square brackets are 95 % confidence intervals by Student's t, with the standard error of a bootstrap of ${
      formatCount(RESAMPLES)
    } resamples of whole runs, their histograms added. A run is one sample, however many requests it has. Ratios pair the runs of a repetition, which were made one after another: all cells are drawn by the same repetitions.`,
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
  const [closed, open] = [runs.filter(isClosed), runs.filter((run) => !isClosed(run))];
  const isBoth = closed.length > 0 && open.length > 0;
  const which = (some: readonly Run[]): string =>
    isBoth ? ` (${unique(some.map(({ scenario }) => scenario)).join(", ")})` : "";
  return [
    ...(closed.length === 0 ? [] : [
      `Closed loop${which(closed)}: each connection sends its next request when ${
        closed.some(({ load }) => load.kind === "closed" && load.pipeline > 1)
          ? "one of its responses"
          : "the last response"
      } is in. Latency is therefore the time of a response under that many connections, from the send to the last byte; users who arrive at a pace of their own would also wait in line.`,
    ]),
    ...(open.length === 0 ? [] : [
      `Open loop${
        which(open)
      }: requests arrive at a pace of their own. Latency counts from the moment a request was due, so a wait for a free connection is in it; requests that were due and never sent are counted as dropped.`,
    ]),
  ];
}

function whenText({ startedAt, finishedAt, spent = 0, resumed = [] }: MeasuredRuns): string {
  if (finishedAt === null) return formatMoment(startedAt);
  const took = resumed.length === 0
    ? formatDuration(secondsBetween(startedAt, finishedAt))
    : `${formatDuration(spent / 1_000)} in ${resumed.length + 1} sittings`;
  return `${formatMoment(startedAt)}, took ${took}`;
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1_000;
}

// What an experiment without a run is about to measure.

/** `hono, express in static (GET /static): 6 runs`. */
function toComeText(results: MeasuredRuns): string {
  const { experiment, flags, planned = 0 } = results;
  const chosen = (kind: "target" | "scenario"): string[] => {
    const only = flags?.only?.[`${kind}s`];
    return namesInOrder(kind, results).filter((name) => only?.includes(name) ?? true);
  };
  const scenarios = chosen("scenario").map((name) => {
    const request = requestText(name, experiment?.scenarios);
    return request === "" ? name : `${name} (${request})`;
  });
  return `${chosen("target").join(", ")} in ${scenarios.join(", ")}: ${counted(planned, "run")}`;
}
