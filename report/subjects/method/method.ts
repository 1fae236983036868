/** How the measurement was made and on what machine, and how to repeat it. */
import type { TargetCommand } from "../../../runner/result/invocation.ts";
import type { Results, Run } from "../../../runner/result/result.ts";
import { RESAMPLES } from "../../../runner/stats/confidence/bootstrap.ts";
import { LOOK_CONFIDENCE } from "../../../runner/stats/confidence/sequential.ts";
import { type Block, type Fact, factsFrom, group, table, text } from "../../blocks.ts";
import { namesInOrder, repeatedOf } from "../../cells/cells.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import {
  formatCount,
  formatDuration,
  formatExactly,
  formatMoment,
  formatMs,
  formatNumber,
  formatQuantity,
  formatShare,
  sizeUnit,
  timeUnit,
} from "../../writing/units.ts";
import { counted, listed, listedAll, unique } from "../../writing/words.ts";
import { agentsText } from "../agents/agents.ts";
import type { ReportContext } from "../subject.ts";
import * as column from "../tables/column.ts";
import { type Table, tableOf } from "../tables/table.ts";
import { commandOf, sourceNameOf } from "./command.ts";
import { loadText, parametersText, requestText, scenarioLoads } from "./load.ts";

export function method({ results }: ReportContext): Block[] {
  const { source = "" } = results;
  const name = sourceNameOf(results);
  const isSaved = source === "" || name === "";
  const first = isSaved ? "Run" : `Save the experiment below as \`${name}\`, then run`;
  return [
    { kind: "facts", facts: machineFacts(results) },
    ...methodSentences(results).map((sentence) => text("method", sentence)),
    table(commandTable(results.commands), { isCaptioned: true }),
    group("Reproduce", [
      text("reproduce", `${first} \`${commandOf(results)}\``),
      { kind: "verbatim", text: source, fold: "The experiment file" },
    ]),
  ];
}

/** The lines under the title: what was measured, where, when and for how long. */
export function factsOf(results: MeasuredRuns): Fact[] {
  const { experiment, machine, runs, planned = runs.length, seed } = results;
  const count = (of: "target" | "scenario"): string =>
    counted(new Set(runs.map((run) => run[of])).size, of);
  const made = runs.length === planned ? "" : `${runs.length} of `;
  const loads = unique([...scenarioLoads(results).values()]);
  const load = loads.length === 0
    ? loadText(runs)
    : `${loads.length} different loads, given with their scenarios`;
  return factsFrom([
    runs.length === 0 ? ["To be measured", toComeText(results)] : [
      "Measured",
      `${count("target")} in ${count("scenario")}, ${made}${counted(planned, "run")}`,
    ],
    ["Load of a run", load],
    ["Agents", agentsText(runs)],
    ["Parameters", parametersText(experiment?.parameters)],
    ["On", `${machine.hostname}: ${machine.cpu}, ${counted(machine.cores, "core")}`],
    ["At", whenText(results)],
    ["Seed", String(seed)],
  ]);
}

/** For an experiment that has no run yet: `hono, express in static (GET /static): 6 runs`. */
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

function whenText({ startedAt, finishedAt, spent = 0, resumed = [] }: MeasuredRuns): string {
  if (finishedAt === null) return formatMoment(startedAt);
  const took = resumed.length === 0
    ? formatDuration((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)
    : `${formatDuration(spent / 1_000)} in ${resumed.length + 1} sittings`;
  return `${formatMoment(startedAt)}, took ${took}`;
}

export function methodSentences(results: MeasuredRuns): string[] {
  const { experiment, seed, runs, detectable } = results;
  if (experiment === undefined) return measuredSentences(runs);
  const { discardS, figures, level } = repeatedOf(results);
  return [
    ...processSentences(experiment, runs),
    experiment.order === "sequential"
      ? "The runs were made in the order of the experiment file."
      : `The runs were made in shuffled blocks, each of which has every cell once (seed ${seed}), so that a drift of the machine affects all cells alike.`,
    // One sentence for each load, if scenarios have loads of their own.
    ...[...Map.groupBy(scenarioLoads(results), ([, load]) => load)].map(([load, scenarios]) =>
      `Load of ${scenarios.map(([name]) => name).join(", ")}: ${load}.`
    ),
    ...measuredSentences(runs),
    figures === "steady" &&
    `Rates, latencies and their intervals are those of the steady part of every run, as the experiment says; a run without a steady part counts as a whole. ${WHOLE}`,
    discardS > 0 &&
    `The first ${
      formatExactly(discardS)
    } of every run are left out of rates, latencies and their intervals, as the experiment says. ${WHOLE}`,
    detectable !== undefined &&
    `The smallest changes that comparisons can show on this machine (plateau plan, ${
      formatMoment(detectable.measuredAt)
    }, from ${counted(detectable.blocks, "block")}): ${detectable.sentence}`,
    "Where a cell has several runs, Requests/s is their mean, and the histograms of their latencies are added, never averaged.",
    `Intervals in square brackets are 95 % confidence intervals by Student's t, with the standard error of a bootstrap of ${
      formatCount(RESAMPLES)
    } resamples of whole runs, their histograms added. A run is one sample, however many requests it has. Ratios pair the runs of a repetition, which were made one after another: each resample takes the same repetitions of all cells.`,
    level === LOOK_CONFIDENCE &&
    `Because the runs were checked several times to decide whether to go on, intervals were computed at ${
      formatShare(level)
    }, so that at least 95 of 100 contain the true value.`,
  ].filter((sentence) => sentence !== false);
}

const WHOLE =
  "Outcomes, CPU and memory, timelines and steady states are those of whole runs, and results.json keeps everything.";

/** Sentences about how runs are measured, for an experiment as well as for a single measurement. */
function measuredSentences(runs: readonly Run[]): string[] {
  const timeouts = unique(runs.map(({ load }) => formatMs(load.timeout)));
  const after = timeouts.length === 0 ? "" : `after ${listed(timeouts)} `;
  // Results of earlier versions have no latency for requests that were never sent.
  const hasDropped = runs.some(({ requests, censoredHistogram }) =>
    requests.dropped > 0 && censoredHistogram !== undefined
  );
  const dropped = hasDropped
    ? " and, with the time that they had waited, requests that were never sent"
    : "";
  // Results of earlier versions have no lower bounds for closed loops.
  const isEstimated = runs.some(({ latency, censoredHistogram }) =>
    latency.clock === "sent" && censoredHistogram !== undefined
  );
  return [
    runs.some(({ agents }) => agents !== undefined) &&
    "The load came from agents: connections and arrivals were split exactly over the workers of all agents, which " +
      "began at the same moment of Redis's clock. Their histograms are added. Requests that a lost agent had " +
      "still to send count as dropped.",
    runs.some(isClosed) && CLOSED,
    !runs.every(isClosed) && OPEN,
    `No request is left out: a request without a whole response ${after}has failed, and counts in the distribution with the time that it had taken. So do requests that were unfinished at the end${dropped}. All these times are lower bounds; figures that they could raise are marked ≥.`,
    isEstimated &&
    "Percentiles of a closed loop are product-limit estimates (Kaplan and Meier), which spread the weight of a lower bound over the longer times; in an open loop a lower bound counts as a value.",
    "Requests/s are completed responses, whatever their status, divided by the time of the run; a response that completes after the deadline counts only in the latencies.",
    "Times are kept in histograms with three significant digits from 1 µs to 1 hour (HdrHistogram).",
  ].filter((sentence) => sentence !== false);
}

function isClosed({ load }: Run): boolean {
  return load.kind === "closed";
}

const CLOSED =
  "Closed loop: each connection sends its next request when the last response is complete. Latency is therefore the time of a response under that many connections, from the send to the last byte; users who arrive at their own pace would also wait in line.";
const OPEN =
  "Open loop: requests arrive at their own pace. Latency counts from the moment a request was due, so a wait for a free connection is in it; requests that were due and never sent are counted as dropped.";

/**
 * Which processes served the requests (those that the experiment started, or servers that were running already), and
 * how the preflight check was made.
 */
function processSentences(
  { targets, fresh, prove }: Results["experiment"],
  runs: readonly Run[],
): (string | false)[] {
  const measured = new Set(runs.map(({ target }) => target));
  const all = Object.entries(Object(targets))
    .filter(([name]) => runs.length === 0 || measured.has(name));
  const others = all.filter(([, target]) => Object.hasOwn(Object(target), "url"))
    .map(([name]) => name);
  return [
    others.length > 0 &&
    `Targets that were already running, and were measured at their URLs: ${
      listedAll(others, MOST_LENGTH)
    }.`,
    others.length < all.length &&
    (fresh === false
      ? "One process of each target served all of its runs."
      : "Every run had a fresh process of its target."),
    prove === "apart"
      ? "Each target had to pass the preflight check once before its first run, in a separate process if the experiment starts the target."
      : "Each target had to pass the preflight check before every run.",
  ];
}

/** The most characters that names may take up in a sentence. */
const MOST_LENGTH = 60;

const WHEN = {
  setup: "before the first start",
  before: "before each run",
  after: "after each run",
  teardown: "at the end",
} as const;

/** A table of the commands that were executed for targets before or after their runs. */
function commandTable(commands: readonly TargetCommand[] = []): Table {
  const unit = timeUnit(commands.map(({ times, total }) => total / times));
  return tableOf({ caption: "Commands of the targets" }, commands, [
    column.name("Target", ({ target }) => target),
    column.text("When", ({ stage }) => WHEN[stage]),
    column.text("Command", ({ command }) => command),
    column.number("Times", ({ times }) => times, "count"),
    column.number("On average", ({ times, total }) => total / times, unit),
    column.rare(column.errors("Failed", ({ failed }) => failed)),
    column.text("Reason", ({ reason = "" }) => reason),
  ]);
}

/** Facts about the machine. Unknown ones are left out. */
export function machineFacts({ machine, redis, version, runs, ...rest }: MeasuredRuns): Fact[] {
  const { cpu, cores, allowedCores, arch, governor, turbo, container, virtual } = machine;
  const usable = allowedCores < cores ? ` (${formatCount(allowedCores)} for Plateau)` : "";
  const runtimes = runs.flatMap(({ target, runtime }) =>
    runtime === null ? [] : [`${target}: ${runtime}`]
  );
  const { commit, settings, peakThroughput } = rest;
  const { limits, openFiles, ports } = machine;
  const ofCores = limits.cores === 1 ? "core" : "cores";
  // The cores to which programs were pinned. The schema of `pin` is in scenarios/load/pin.ts.
  const pin: { targets?: unknown; workers?: unknown } = Object(rest.experiment?.pin);
  return factsFrom([
    ["Processor", `${cpu}, ${counted(cores, "core")}${usable}, ${arch}`],
    [
      "Clock speed",
      joined([
        governor !== null && `governor ${governor}`,
        turbo !== null && `turbo ${turbo ? "on" : "off"}`,
      ]),
    ],
    ["Memory", sizeText(machine.memory)],
    ["System", `${machine.os}, kernel ${machine.kernel}`],
    [
      "Runs in",
      joined([
        container !== null && `a container (${container})`,
        virtual !== null && `a virtual machine (${virtual})`,
      ], " in "),
    ],
    [
      "Limits",
      joined([
        limits.cores !== null && `CPU time of ${formatNumber(limits.cores)} ${ofCores}`,
        limits.memory !== null && `${sizeText(limits.memory)} of memory`,
        openFiles !== null && `${formatCount(openFiles)} open files`,
        ports !== null && `ports ${ports[0]}–${ports[1]}`,
      ]),
    ],
    [
      "Cores",
      joined([
        pin.targets !== undefined && `targets on ${pin.targets}`,
        pin.workers !== undefined && `load generator on ${pin.workers}`,
      ]),
    ],
    ["Host", machine.hostname],
    ["Runtime", `Deno ${machine.deno}, V8 ${machine.v8}`],
    ["Targets run by", unique(runtimes).sort().join("; ")],
    ["Plateau", version],
    ["Redis", redis === undefined ? "" : redis ?? "none"],
    ["Load worker at most", peakText(peakThroughput?.generator)],
    ["Redis at most", peakText(peakThroughput?.redis)],
    ["Commit", joined([commit?.hash, commit?.dirty && "with uncommitted changes"])],
    ["Settings", settings === undefined ? "" : `SHA-256 ${settings}`],
  ]);
}

/** A peak throughput in words; "" if there was no attempt to measure it. */
function peakText(peak: NonNullable<Results["peakThroughput"]>["redis"]): string {
  if (peak === undefined) return "";
  if (peak === null) return "could not be measured";
  return `${formatCount(Math.round(peak.perSec))} requests/s (${peak.by})`;
}

function sizeText(bytes: number): string {
  return formatQuantity(bytes, sizeUnit([bytes]));
}

function joined(texts: readonly (string | false | undefined)[], between = ", "): string {
  return texts.filter(Boolean).join(between);
}
