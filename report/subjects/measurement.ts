/** A single measurement, as `bench` shows it, in the words and units of an experiment's report. */
import { bottleneckSentence } from "../findings/bottleneck.ts";
import { ERRORS, isUnanswered, wrongResponsesOf } from "../../runner/result/outcome.ts";
import { arePaced } from "../../runner/result/messages.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { PERCENTILES } from "../../runner/stats/quantile.ts";
import { agentsText, measurementAgents } from "./agents/agents.ts";
import { boundsNote } from "../figures/lower_bounds.ts";
import { noResponseOf, noResponseText, otherStatusesText } from "../findings/no_response.ts";
import { trustOf } from "../findings/trust.ts";
import type { GateOutcome } from "../findings/threshold_sentences.ts";
import { type Lead, leadOf, timeTexts } from "../findings/lead.ts";
import { overTimeText } from "../findings/over_time.ts";
import { loadText } from "./method/load.ts";
import {
  type Block,
  type Fact,
  factsFrom,
  type Finding,
  group,
  list,
  table,
  text,
} from "../blocks.ts";
import {
  boundText,
  formatCount,
  formatDuration,
  formatMs,
  formatNumber,
  formatQuantity,
  formatShare,
  sizeUnit,
  timeUnit,
} from "../writing/units.ts";
import { capitalized, counted } from "../writing/words.ts";
import { isOpen, shortfallOf } from "../judge/shortfall.ts";
import { type PooledLatency, poolLatency } from "../figures/pool.ts";
import { trustBlock } from "./about.ts";
import { measurementCalls } from "./calls.ts";
import { measurementStreams } from "./streams.ts";
import { inRunTable, OF_THIS_RUN_TEXT } from "./tables/in_run.ts";
import { histogramTable } from "./tables/histogram.ts";
import { isLongDrain, tlsText, UNSOLICITED_TEXT } from "./tables/responses.ts";
import * as column from "./tables/column.ts";
import { type Table, tableOf } from "./tables/table.ts";
import { thresholdBlocks } from "./thresholds.ts";

/** Blocks of a measurement. Trust and a one-line summary come last, because people read the end of the screen first. */
export function measurementBlocks(
  measurement: Measurement,
  gates: readonly GateOutcome[] = [],
): Block[] {
  const latency = poolLatency([measurement]);
  const { count, endedCount } = latency;
  const { inRun } = measurement;
  const lead = leadOf(measurement);
  const isOfRequests = lead.unit === "requests";
  const intervals = inRun === undefined || !isOfRequests ? null : inRunTable(inRun);
  const isSilent = isUnanswered(measurement);
  const silence = isSilent ? `${noResponseText(noResponseOf([measurement]))}.` : "";
  const statuses = otherStatusesText(measurement);
  const trust = trustBlock({ ...trustOf(measurement), ...isSilent && { reasons: [] } });
  return [group(measurement.url, [
    // A terminal does without this warning, because the error at the end says the same.
    { ...text("no-response", silence, "warning"), forms: ["markdown"] },
    { ...text("statuses", statuses && `${statuses}.`, "warning"), forms: ["markdown"] },
    { ...trust, forms: ["markdown"] },
    text("load", `${loadText([measurement])}, ${counted(measurement.generator.workers, "worker")}`),
    { kind: "facts", facts: factsOf(measurement, lead, latency) },
    ...isOfRequests ? [] : measurementStreams(measurement),
    ...endedCount > 0 && isOfRequests
      ? [table(histogramTable(latency.ended), { ...CAPTIONED, forms: TERMINAL })]
      : [],
    ...count === 0 ? [] : [table(percentilesTable(latency, lead), CAPTIONED)],
    ...intervals === null ? [] : [table(intervals, CAPTIONED), text("note", OF_THIS_RUN_TEXT)],
    text("note", boundsNote([latency], [measurement])),
    text("note", bottleneckSentence(measurement)),
    ...isOfRequests ? measurementStreams(measurement) : [],
    measurementCalls(measurement),
    table(countsTable("Status code", "Responses", Object.entries(measurement.status)), CAPTIONED),
    table(countsTable("Error", "Times", errorsOf(measurement)), CAPTIONED),
    group("Agents", measurementAgents(measurement)),
    group("Thresholds", thresholdBlocks(gates)),
    group("Trust", [
      { ...trust, forms: TERMINAL },
      { ...text("statuses", statuses, "warning"), forms: TERMINAL },
      list([recapOf(measurement)], { forms: TERMINAL }),
    ]),
  ])];
}

const TERMINAL = ["terminal"] as const;
const CAPTIONED = { isCaptioned: true };

const MOST_RECAP_COLUMNS = 80;
const OUTCOMES = { valid: "good", suspect: "open", invalid: "bad" } as const;

/**
 * For example `15,127/s · p50 2.00 ms · p99 16.5 ms · 0 failed · valid`, or `1,960 messages/s · p50 …` for WebSockets.
 * If the line gets too long, the median is left out, and then all times.
 */
export function recapOf(measurement: Measurement): Finding {
  const { level } = trustOf(measurement);
  const lead = leadOf(measurement);
  const textOf = (percentiles: readonly (50 | 99)[]): string => {
    const times = percentiles.length === 0 ? [] : timeTexts(lead, percentiles);
    return [...paceTexts(measurement, lead), ...times, ...endTexts(measurement, lead), level]
      .join(" · ");
  };
  const texts = ([[50, 99], [99], []] as const).map(textOf);
  const text = texts.find(({ length }) => length <= MOST_RECAP_COLUMNS) ?? texts[2];
  return { code: "recap", text, outcome: OUTCOMES[level] };
}

function paceTexts(measurement: Measurement, { unit, request, ratePerSec }: Lead): string[] {
  const runs = [measurement];
  const short = shortfallOf({ label: "", runs, latency: poolLatency(runs) });
  const isOfRequests = unit === "requests";
  const pace = `${formatNumber(ratePerSec)}${isOfRequests ? "" : ` ${unit}`}/s`;
  if (short === null || !isOpen({ runs })) return [pace];
  const offered = formatNumber(short.offeredPerSec);
  return isOfRequests
    ? [`${pace} of ${offered}/s`]
    : [pace, `${formatNumber(measurement.rate)} of ${offered} ${request}s/s`];
}

/** How many requests failed, were wrong or were never sent. For streams and WebSockets, messages are counted, too. */
function endTexts(measurement: Measurement, { unit, request }: Lead): string[] {
  const { requests: { failed, dropped } } = measurement;
  const wrong = wrongResponsesOf(measurement);
  const ends = [failed > 0 || wrong === 0 ? "failed" : "", wrong > 0 ? "wrong" : ""];
  const bad = ends.filter(Boolean).join(" or ");
  const unsent = (count: number): string[] =>
    count === 0 ? [] : [`${formatCount(count)} never sent`];
  if (unit === "requests") return [`${formatCount(failed + wrong)} ${bad}`, ...unsent(dropped)];
  const lost = messagesThat("failed", measurement);
  return [
    ...lost === 0 ? [] : [`${counted(lost, "message")} failed`],
    ...failed + wrong === 0 ? [] : [`${counted(failed + wrong, request)} ${bad}`],
    ...lost + failed + wrong === 0 ? ["0 failed"] : [],
    // A stream that was never requested also counts as a message that was never sent. A WebSocket
    // that was never opened has no messages. So the larger of the two numbers is right.
    ...unsent(Math.max(dropped, messagesThat("dropped", measurement))),
  ];
}

function messagesThat(fate: "failed" | "dropped", { streams, sockets }: Measurement): number {
  return (streams?.messages[fate] ?? 0) + (sockets?.messages[fate] ?? 0);
}

const NOTHING = "–";

function factsOf(measurement: Measurement, lead: Lead, latency: PooledLatency): Fact[] {
  const { bytes, checks, sessions, tls, warmup, generator, sockets } = measurement;
  const { statusLatency = {}, instances = [], cache = {} } = measurement;
  const { lag } = generator;
  const size = (value: number): string => formatQuantity(value, sizeUnit([value]));
  const some = (count: number): string => count === 0 ? "" : formatCount(count);
  const time = (ms: number, figure: "mean" | "max"): string =>
    latency.count === 0 ? NOTHING : boundText(formatMs(ms), latency.isAtLeast(figure));
  const served = [
    ...Object.entries(statusLatency).map(([name, group]) => [`Responses ${name}`, group] as const),
    ...instances.map((group) => [`Instance ${group.instance}`, group] as const),
    ...Object.entries(cache).map(([name, group]) => [`Cache ${name}`, group] as const),
  ];
  const isOfRequests = lead.unit === "requests";
  return factsFrom([
    [`${capitalized(lead.unit)}/s`, formatNumber(lead.ratePerSec)],
    ["Elapsed", formatDuration(measurement.elapsedS)],
    ...outcomeFacts(measurement, lead),
    ...sessions === null ? [] : [
      [
        "Virtual users",
        `${formatCount(sessions.created)}, ${formatCount(sessions.completed)} through, ` +
        `${formatCount(sessions.failed)} failed`,
      ],
      ["Session length", lengthText(sessions.length)],
    ] as const,
    ...served.map(([label, { latency }]) =>
      [label, `${formatCount(latency.count)}, ${lengthText(latency)}`] as const
    ),
    ["Wrong responses", some(checks.failed)],
    ["Received", `${size(bytes.in)}, ${size(bytes.inPerSecond)}/s`],
    ...isOfRequests
      ? [
        [
          "Mean latency",
          time(latency.mean, "mean") + (latency.count === 0 ? "" : ` ± ${formatMs(latency.stdev)}`),
        ],
        // Only requests with a response count here.
        ["Fastest", latency.fastest === 0 ? NOTHING : formatMs(latency.fastest)],
        ["Slowest", time(latency.max, "max")],
      ] as const
      : [],
    // Only requests and messages with a scheduled time can be late.
    [
      "Sent late by",
      measurement.latency.clock === "sent" && !arePaced(sockets)
        ? ""
        : `p50 ${formatMs(lag.p50)}, p99 ${formatMs(lag.p99)}, max ${formatMs(lag.max)}`,
    ],
    ["Over time", warmup === null || !isOfRequests ? "" : overTimeText(warmup)],
    ["TLS", tls === undefined ? "" : tlsText(tls)],
    ["Generator CPU", `${formatShare(generator.cpu)} of a core`],
    ["Agents", agentsText([measurement])],
  ]);
}

/** How requests ended: a fact for each outcome or, for streams and WebSockets, a single fact for all outcomes. */
function outcomeFacts(
  measurement: Measurement,
  { unit, request }: Lead,
): (readonly [label: string, text: string])[] {
  const { requests: { unfinished, dropped } } = measurement;
  if (unit === "requests") {
    return [
      ["Completed", outcomeText("completed", measurement)],
      ["Failed", outcomeText("failed", measurement)],
      ["Unfinished", formatCount(unfinished)],
      ["Dropped", dropped === 0 ? "" : formatCount(dropped)],
    ];
  }
  const ends = [
    outcomeText("completed", measurement, " completed"),
    outcomeText("failed", measurement, " failed"),
    `${formatCount(unfinished)} unfinished`,
    ...dropped === 0 ? [] : [`${formatCount(dropped)} never sent`],
  ];
  return [[`${capitalized(request)}s`, ends.join("; ")]];
}

/**
 * For example `10,512, 12 of them in the 0.8 s after the deadline`. Only the number if the wait after the deadline was
 * short, or if no request ended in it.
 * @param word Follows the number.
 */
function outcomeText(of: "completed" | "failed", measurement: Measurement, word = ""): string {
  const { requests, drain, elapsedS } = measurement;
  const text = `${formatCount(requests[of])}${word}`;
  if (drain === undefined || !isLongDrain(drain.durationS, elapsedS) || drain[of] === 0) {
    return text;
  }
  const wait = formatMs(drain.durationS * 1_000);
  return `${text}, ${formatCount(drain[of])} of them in the ${wait} after the deadline`;
}

function lengthText(
  { count, percentiles }: Pick<Measurement["latency"], "count" | "percentiles">,
): string {
  if (count === 0) return NOTHING;
  return ([50, 95, 99] as const).map((p) => `p${p} ${formatMs(percentiles[p])}`).join(", ");
}

function percentilesTable(latency: PooledLatency, { request }: Lead): Table {
  const unit = timeUnit(latency.percentiles);
  const caption = request === "request" ? "Latency percentiles" : `How long ${request}s lasted`;
  return tableOf({ caption }, PERCENTILES, [
    column.name("Percentile", (p) => `p${p}`),
    column.number("Latency", (p) => column.percentileIn(latency, p), unit),
  ]);
}

function countsTable(of: string, label: string, counts: readonly [string, number][]): Table {
  return tableOf({ caption: `${of}s` }, counts, [
    column.name(of, ([name]) => name),
    column.number(label, ([, count]) => count, "count"),
  ]);
}

/** Failures by kind, then by exact reason, and unsolicited responses. */
function errorsOf({ errors, reasons, unsolicited = 0 }: Measurement): [string, number][] {
  const all: readonly [string, number][] = [
    ...ERRORS.map((kind): [string, number] => [kind, errors[kind] ?? 0]),
    ...Object.entries(reasons),
    [UNSOLICITED_TEXT, unsolicited],
  ];
  return all.filter(([, count]) => count > 0);
}
