/** The model of a single measurement, for `bench`: the same words and units as the report. Pure. */
import { bottleneckSentence } from "../findings/bottleneck.ts";
import { ERRORS, isUnanswered, wrongResponsesOf } from "../../runner/result/outcome.ts";
import type { Measurement } from "../../runner/result/result.ts";
import type { ServedGroup } from "../../runner/result/distribution.ts";
import type { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { PERCENTILES, supportsPercentile } from "../../runner/stats/quantile.ts";
import { type AgentsModel, agentsText, measurementAgents } from "./agents/agents.ts";
import { boundsNote } from "../figures/lower_bounds.ts";
import { equalRatioEdgesUs, sharesBetween } from "./charts/density.ts";
import { noResponseOf, noResponseText } from "../findings/no_response.ts";
import { type TrustModel, trustOf } from "../findings/trust.ts";
import { findingReason } from "../findings/sentences.ts";
import { loadText } from "./method/load.ts";
import type { Fact } from "../blocks.ts";
import { overTimeText } from "../findings/over_time.ts";
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
import { counted } from "../writing/words.ts";
import { isOpen, shortfallOf } from "../judge/shortfall.ts";
import { type PooledLatency, poolLatency, WEAK_NOTE } from "../figures/pool.ts";
import { isLongDrain, tlsText, UNSOLICITED_TEXT } from "./tables/responses.ts";

export interface MeasurementModel {
  readonly url: string;
  /** That no request got a response, and why; "" where one did. */
  readonly unanswered: string;
  /** Whether the figures can be believed. */
  readonly trust: TrustModel;
  readonly load: string;
  readonly facts: readonly Fact[];
  readonly percentiles: readonly (Fact & { readonly weak: boolean })[];
  /** Steps of equal ratio: the upper bound of each and its share of the requests. */
  readonly histogram: readonly {
    readonly upTo: string;
    readonly share: number;
    readonly text: string;
  }[];
  readonly statuses: readonly Fact[];
  /** Failed requests by kind, then by their exact reasons. */
  readonly errors: readonly Fact[];
  /** Null where one program loaded alone. */
  readonly agents: AgentsModel | null;
  readonly notes: readonly string[];
  /** All of it in a line, for the end of a screen. */
  readonly recap: string;
}

const NOTHING = "–";

const HISTOGRAM_STEPS = 11;
/** The first step takes the fastest values up to this percentile, so that outliers cost one line. */
const FIRST_STEP_UP_TO = 1;

export function measurementModel(measurement: Measurement): MeasurementModel {
  const { url, status, errors, reasons, unsolicited = 0 } = measurement;
  const latency = poolLatency([measurement]);
  return {
    url,
    unanswered: isUnanswered(measurement) ? `${noResponseText(noResponseOf([measurement]))}.` : "",
    trust: trustOf(measurement),
    load: `${loadText([measurement])}, ${counted(measurement.generator.workers, "worker")}`,
    facts: measurementFacts(measurement, latency),
    percentiles: percentileFacts(latency),
    histogram: latency.endedCount === 0 ? [] : latencySteps(latency.ended, HISTOGRAM_STEPS),
    statuses: Object.entries(status).map(([code, count]) => ({
      label: code,
      text: formatCount(count),
    })),
    errors: [
      ...ERRORS.flatMap((kind) =>
        errors[kind] ? [{ label: kind, text: formatCount(errors[kind]) }] : []
      ),
      ...Object.entries(reasons).map(([label, count]) => ({ label, text: formatCount(count) })),
      ...(unsolicited > 0 ? [{ label: UNSOLICITED_TEXT, text: formatCount(unsolicited) }] : []),
    ],
    agents: measurementAgents(measurement),
    notes: [...notesOf(latency), bottleneckSentence(measurement)].filter((text) => text !== ""),
    recap: recapText(measurement, latency),
  };
}

/** `15,127/s · p50 2.00 ms · p99 16.5 ms · 0 failed · valid` */
function recapText(measurement: Measurement, latency: PooledLatency): string {
  const { requests: { failed, dropped } } = measurement;
  const wrong = wrongResponsesOf(measurement);
  return [
    paceText(measurement, latency),
    ...(latency.count === 0 ? ["no latency"] : [50, 99].map((p) => {
      const { value, isAtLeast } = latency.percentile(p);
      return `p${p} ${boundText(formatMs(value), isAtLeast)}`;
    })),
    `${formatCount(failed)} failed`,
    ...(wrong > 0 ? [`${formatCount(wrong)} wrong`] : []),
    ...(dropped > 0 ? [`${formatCount(dropped)} never sent`] : []),
    trustText(measurement),
  ].join(" · ");
}

/** `9,510/s`, or `9,510/s of 12,000/s` where requests come faster than they are completed. */
function paceText(measurement: Measurement, latency: PooledLatency): string {
  const short = shortfallOf({ label: "", runs: [measurement], latency });
  const pace = `${formatNumber(measurement.rate)}/s`;
  const isBehind = short !== null && isOpen({ runs: [measurement] });
  return isBehind ? `${pace} of ${formatNumber(short.offeredPerSec)}/s` : pace;
}

/** `suspect: The run took 12 ms, too short to judge the generator`; the worst reason alone. */
function trustText(measurement: Measurement): string {
  const { level, text } = trustOf(measurement);
  if (level === "valid") return level;
  const [worst] = measurement.generator.findings;
  return `${level}: ${worst === undefined ? text : findingReason(worst)}`;
}

function measurementFacts(measurement: Measurement, latency: PooledLatency): Fact[] {
  const { requests, bytes, checks } = measurement;
  const agents = agentsText([measurement]);
  const size = (value: number) => formatQuantity(value, sizeUnit([value]));
  return [
    { label: "Requests/s", text: formatNumber(measurement.rate) },
    { label: "Elapsed", text: formatDuration(measurement.elapsedS) },
    { label: "Completed", text: outcomeText("completed", measurement) },
    { label: "Failed", text: outcomeText("failed", measurement) },
    { label: "Unfinished", text: formatCount(requests.unfinished) },
    ...(requests.dropped ? [{ label: "Dropped", text: formatCount(requests.dropped) }] : []),
    ...sessionFacts(measurement),
    ...servedFacts(measurement),
    ...(checks.failed ? [{ label: "Wrong responses", text: formatCount(checks.failed) }] : []),
    { label: "Received", text: `${size(bytes.in)}, ${size(bytes.inPerSecond)}/s` },
    ...latencyFacts(latency),
    ...lagFacts(measurement),
    ...steadyFacts(measurement),
    ...tlsFacts(measurement),
    { label: "Generator CPU", text: `${formatShare(measurement.generator.cpu)} of a core` },
    ...(agents === "" ? [] : [{ label: "Agents", text: agents }]),
  ];
}

/** `10,512, 12 of them in the 0.8 s after the deadline`, where the wait is worth a word. */
function outcomeText(of: "completed" | "failed", measurement: Measurement): string {
  const { requests, drain, elapsedS } = measurement;
  const text = formatCount(requests[of]);
  if (drain === undefined || !isLongDrain(drain.durationS, elapsedS) || drain[of] === 0) {
    return text;
  }
  const wait = formatMs(drain.durationS * 1_000);
  return `${text}, ${formatCount(drain[of])} of them in the ${wait} after the deadline`;
}

/** Nothing where nothing has a latency; the fastest is of requests with a response. */
function latencyFacts({ count, mean, stdev, fastest, max, isAtLeast }: PooledLatency): Fact[] {
  const meanText = boundText(formatMs(mean), isAtLeast("mean"));
  const maxText = boundText(formatMs(max), isAtLeast("max"));
  return [
    { label: "Mean latency", text: count === 0 ? NOTHING : `${meanText} ± ${formatMs(stdev)}` },
    { label: "Fastest", text: fastest === 0 ? NOTHING : formatMs(fastest) },
    { label: "Slowest", text: count === 0 ? NOTHING : maxText },
  ];
}

function sessionFacts({ sessions }: Measurement): Fact[] {
  if (sessions === null) return [];
  const { created, completed, failed, length } = sessions;
  return [
    {
      label: "Virtual users",
      text: `${formatCount(created)}, ${formatCount(completed)} through, ${
        formatCount(failed)
      } failed`,
    },
    { label: "Session length", text: lengthText(length) },
  ];
}

function lengthText(
  { count, percentiles }: NonNullable<Measurement["sessions"]>["length"],
): string {
  if (count === 0) return NOTHING;
  return ([50, 95, 99] as const).map((p) => `p${p} ${formatMs(percentiles[p])}`).join(", ");
}

/** Latency by class of status, by instance and by use of a cache. */
function servedFacts({ statusLatency = {}, instances = [], cache = {} }: Measurement): Fact[] {
  const factOf = (label: string, { latency }: ServedGroup): Fact => ({
    label,
    text: `${formatCount(latency.count)}, ${lengthText(latency)}`,
  });
  return [
    ...Object.entries(statusLatency).map(([name, group]) => factOf(`Responses ${name}`, group)),
    ...instances.map((group) => factOf(`Instance ${group.instance}`, group)),
    ...Object.entries(cache).map(([name, group]) => factOf(`Cache ${name}`, group)),
  ];
}

function tlsFacts({ tls }: Measurement): Fact[] {
  return tls === undefined ? [] : [{ label: "TLS", text: tlsText(tls) }];
}

/** What latency and rate did over the run; nothing for a load that itself changes. */
function steadyFacts({ warmup }: Measurement): Fact[] {
  return warmup === null ? [] : [{ label: "Over time", text: overTimeText(warmup) }];
}

/** How late requests were sent: only in an open loop is there a moment to be late for. */
function lagFacts({ latency, generator: { lag } }: Measurement): Fact[] {
  if (latency.clock === "sent") return [];
  const text = `p50 ${formatMs(lag.p50)}, p99 ${formatMs(lag.p99)}, max ${formatMs(lag.max)}`;
  return [{ label: "Sent late by", text }];
}

function percentileFacts(
  { percentiles, percentile, count }: PooledLatency,
): MeasurementModel["percentiles"] {
  if (count === 0) return PERCENTILES.map((p) => ({ label: `p${p}`, text: NOTHING, weak: false }));
  const unit = timeUnit(percentiles);
  return PERCENTILES.map((p) => {
    const { value, isAtLeast } = percentile(p);
    return {
      label: `p${p}`,
      text: boundText(formatQuantity(value, unit), isAtLeast),
      weak: !supportsPercentile(count, p),
    };
  });
}

/** A histogram that is not empty as so many steps. */
export function latencySteps(
  histogram: Histogram,
  steps: number,
): MeasurementModel["histogram"] {
  const lowUs = histogram.valueAtPercentile(FIRST_STEP_UP_TO);
  // Whole microseconds begin half a microsecond before 0.
  const edgesUs = [-0.5, ...equalRatioEdgesUs(lowUs, endUsOf(histogram), steps - 1)];
  const unit = timeUnit(edgesUs.map((us) => us / 1_000));
  return sharesBetween(histogram, edgesUs).map((share, i) => ({
    upTo: formatQuantity(edgesUs[i + 1] / 1_000, unit),
    share,
    text: formatShare(share),
  }));
}

/** End of the last bucket, which the largest value may not fill. */
function endUsOf(histogram: Histogram): number {
  let endUs = 0;
  histogram.forEachBucket((_lowUs, highUs) => endUs = highUs);
  return endUs;
}

function notesOf(latency: PooledLatency): string[] {
  const { count } = latency;
  const weak = count > 0 && PERCENTILES.some((p) => !supportsPercentile(count, p))
    ? [WEAK_NOTE]
    : [];
  const bounds = boundsNote([latency]);
  return bounds === "" ? weak : [...weak, bounds];
}
