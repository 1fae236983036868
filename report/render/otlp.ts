/**
 * Results as OpenTelemetry metrics: the message ExportMetricsServiceRequest of OTLP (opentelemetry-proto,
 * collector/metrics/v1) in its JSON encoding. Names follow the semantic conventions for HTTP clients; names without a
 * convention begin with `plateau.`. Sums are cumulative from the start of each run, as Prometheus requires. Pure.
 */
import { MESSAGE_TIMES } from "../../base/figures/figure.ts";
import type { Distribution, Measurement, Results, Run } from "../../runner/result/result.ts";
import { withoutBounds } from "../../runner/stats/histogram/censoring.ts";
import { exponentialBuckets, SCALE } from "../../runner/stats/histogram/exponential.ts";
import { decodeInterval, decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { EMPTY, type SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { sum } from "../writing/spread.ts";
import { runAlone } from "../cells/measured.ts";
import { messageTimes } from "../figures/figures.ts";
import { jsonText } from "../writing/json.ts";
import type { Written } from "../writing/written.ts";

/** Undefined attributes are omitted. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
/**
 * An OTLP message, or some of its fields. As OTLP requires in JSON, 64-bit integers are decimal strings, and enums are
 * numbers.
 */
type DataPoint = Readonly<Record<string, unknown>>;

type DataPoints = Readonly<Record<keyof typeof METRICS, readonly DataPoint[]>>;

const CUMULATIVE = 2;
const counted = { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true } };

const METRICS = {
  "http.client.request.duration": {
    description: "Duration of HTTP client requests",
    unit: "s",
    exponentialHistogram: { aggregationTemporality: CUMULATIVE },
  },
  "plateau.requests": {
    description: "Requests that were due, by how they ended",
    unit: "{request}",
    ...counted,
  },
  "plateau.checks": {
    description: "Expectations on completed responses, by result",
    unit: "{check}",
    ...counted,
  },
  "plateau.request.rate": {
    description: "Requests completed by the deadline, divided by the duration of the load",
    unit: "{request}/s",
    gauge: {},
  },
  "plateau.messages": {
    description: "Messages of streams and WebSockets that were due, by how they ended",
    unit: "{message}",
    ...counted,
  },
  "plateau.message.duration": {
    description:
      "Times of messages: to the first message of a stream, between two messages, to the first token, per token, and until a message on a WebSocket is answered",
    unit: "s",
    exponentialHistogram: { aggregationTemporality: CUMULATIVE },
  },
  "plateau.trust": {
    description:
      "Always 1; the attribute plateau.trust.verdict says whether the figures of the run can be trusted",
    unit: "1",
    gauge: {},
  },
} as const;
const NAMES = Object.keys(METRICS) as (keyof typeof METRICS)[];

/** Requests are split at this size. Receivers accept at least 4 MB; a run takes 5 to 50 KB. */
const REQUEST_CHARACTERS = 2_000_000;

interface SentResults extends Pick<Results, "version" | "machine" | "commit" | "runs"> {
  readonly experiment: Pick<Results["experiment"], "name">;
}

/** The requests to send. Empty if nothing was measured, because an empty request must not be sent. */
export function otlpRequests(results: SentResults): Written<"json">[] {
  const { version, experiment, machine, commit, runs } = results;
  return requestsOf(runs, version, {
    "host.name": machine.hostname,
    "host.arch": ARCHITECTURES[machine.arch] ?? machine.arch,
    "os.type": machine.os,
    "vcs.ref.head.revision": commit?.hash,
    "plateau.experiment": experiment.name,
  });
}

/** @param hostname "" if unknown. */
export function measurementOtlpRequests(
  measurement: Measurement,
  hostname: string,
): Written<"json">[] {
  const { loadStartedAt, version } = measurement;
  if (loadStartedAt === undefined) return []; // stopped before the load started
  const resource = { "host.name": hostname || undefined, "plateau.experiment": "bench" };
  return requestsOf([runAlone(measurement, loadStartedAt)], version, resource);
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

function requestsOf(
  runs: readonly Run[],
  version: string,
  resource: Attributes,
): Written<"json">[] {
  const parts: DataPoints[][] = [];
  let room = 0;
  for (const points of runs.map(pointsOf)) {
    const size = JSON.stringify(points).length;
    if (size > room) {
      parts.push([]);
      room = REQUEST_CHARACTERS;
    }
    parts[parts.length - 1].push(points);
    room -= size;
  }
  const attributes = attributesOf({
    "service.name": "plateau",
    "service.version": version,
    ...resource,
  });
  return parts.map((points) =>
    jsonText({
      resourceMetrics: [{
        resource: { attributes },
        scopeMetrics: [{ scope: { name: "plateau", version }, metrics: metricsOf(points) }],
      }],
    })
  );
}

/** Lists each metric once, with the data points of all runs. */
function metricsOf(runs: readonly DataPoints[]): unknown[] {
  return NAMES.flatMap((name) => {
    const { description, unit, ...kind } = METRICS[name];
    const dataPoints = runs.flatMap((points) => points[name]);
    if (dataPoints.length === 0) return [];
    const data = Object.entries(kind).map(([key, of]) => [key, { ...of, dataPoints }]);
    return [{ name, description, unit, ...Object.fromEntries(data) }];
  });
}

function pointsOf(run: Run): DataPoints {
  const base = runAttributes(run);
  const times = timesOf(run);
  const point = (attributes: Attributes, value: DataPoint): DataPoint => ({
    attributes: attributesOf({ ...base, ...attributes }),
    ...times,
    ...value,
  });
  const count = (attributes: Attributes, asInt: number): DataPoint[] =>
    asInt === 0 ? [] : [point(attributes, { asInt: String(asInt) })];
  const { checks, generator, latency: { clock }, streams, sockets } = run;
  return {
    "http.client.request.duration": durationGroups(run).map((group) =>
      point({ "plateau.latency.clock": clock, ...group.attributes }, histogramPoint(group))
    ),
    "plateau.requests": outcomesOf(run).flatMap(([attributes, ended]) => count(attributes, ended)),
    "plateau.checks": [
      ...count({ "plateau.check.result": "passed" }, checks.passed),
      ...count({ "plateau.check.result": "failed" }, checks.failed),
    ],
    "plateau.request.rate": [point({}, { asDouble: run.rate })],
    "plateau.messages": MESSAGE_OUTCOMES.flatMap((outcome) =>
      count(
        { "plateau.outcome": outcome },
        (streams?.messages[outcome] ?? 0) + (sockets?.messages[outcome] ?? 0),
      )
    ),
    "plateau.message.duration": messageGroups(run).map((group) =>
      point(group.attributes, histogramPoint(group))
    ),
    "plateau.trust": [point({ "plateau.trust.verdict": generator.trust }, { asInt: "1" })],
  };
}

/** Start of the load and end of the wait for its last responses, in nanoseconds since the epoch. */
function timesOf({ loadStartedAt, startedAt, elapsedS, slices, drain }: Run): DataPoint {
  const startMs = Date.parse(loadStartedAt ?? startedAt);
  // The measured time of a run in slices leaves out the slices of the other side, so the end of the
  // last slice counts as well.
  const endS = (slices?.items.startS.at(-1) ?? 0) + (slices?.sliceMs ?? 0) / 1_000;
  const lastedNs = Math.round(1e9 * (Math.max(elapsedS, endS) + (drain?.durationS ?? 0)));
  const startNs = BigInt(Math.min(Math.max(0, startMs), LATEST_MS)) * 1_000_000n;
  return {
    startTimeUnixNano: String(startNs),
    timeUnixNano: String(startNs + BigInt(Math.min(lastedNs, 1e6 * LATEST_MS))),
  };
}

/** Limit on the start and on the duration, in milliseconds. Even the sum of both fits into 64 bits as nanoseconds. */
const LATEST_MS = 9e12;

function runAttributes(run: Run): Attributes {
  const { target, scenario, repetition, parameters } = run;
  const url = URL.parse(run.url); // null if the URL is redacted because a part of it is secret
  const scheme = url?.protocol.slice(0, -1);
  const factors = Object.entries(parameters).map(([path, value]) => [
    `plateau.factor.${path}`,
    typeof value === "object" ? JSON.stringify(value) : value,
  ]);
  return {
    "http.request.method": methodOf(run),
    "server.address": url?.hostname.replace(/^\[|\]$/g, ""),
    "server.port": url === null
      ? undefined
      : Number(url.port || (/s$/.test(scheme ?? "") ? 443 : 80)),
    "url.scheme": scheme,
    "plateau.target": target,
    "plateau.scenario": scenario,
    "plateau.run": repetition,
    ...Object.fromEntries(factors),
  };
}

/** The methods of RFC 9110 §9 and RFC 5789. */
const KNOWN_METHODS = /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH) /;

/**
 * The method of the requests, taken from the slowest one. `_OTHER` if requests may have different methods or an unknown
 * one, as OpenTelemetry's conventions require.
 */
function methodOf({ steps, slowest = [], load }: Run): string {
  const isOne = steps === undefined && !("arrivals" in load && load.arrivals === "recorded");
  const sent = slowest.find(({ request }) => request !== null)?.request ?? "";
  return isOne && KNOWN_METHODS.test(sent) ? sent.split(" ")[0] : "_OTHER";
}

/** Number of requests by outcome. All numbers add up to the number of requests that were due. */
function outcomesOf({ requests, status, errors }: Run): [Attributes, number][] {
  const { completed, failed, unfinished, dropped } = requests;
  const codes = Object.entries(status).map(([code, count]): [Attributes, number] => [
    { "plateau.outcome": "completed", ...statusAttributes([code]) },
    count,
  ]);
  const kinds = Object.entries(errors).map(([kind, count]): [Attributes, number] => [
    { "plateau.outcome": "failed", "error.type": kind },
    count,
  ]);
  const other = (outcome: string, count: number): [Attributes, number] => [
    { "plateau.outcome": outcome },
    count,
  ];
  return [
    ...codes,
    ...kinds,
    other("completed", completed - sum(codes, ([, count]) => count)),
    other("failed", failed - sum(kinds, ([, count]) => count)),
    other("unfinished", unfinished),
    other("dropped", dropped),
  ];
}

/** Attributes for responses with one status, or with several statuses of one class. */
function statusAttributes(codes: readonly string[], family?: string): Attributes {
  const [code] = codes;
  const error = codes.length === 1 ? code : family;
  return {
    ...codes.length === 1 && { "http.response.status_code": Number(code) },
    ...error !== undefined && /^[4-9]/.test(error) && { "error.type": error },
  };
}

/** Sum and extremes of a histogram: exact if results have exact values, otherwise from its buckets. */
type DurationFigures = Pick<SparseHistogram, "minUs" | "maxUs" | "sumUs">;

/** A group of a run's latencies with equal attributes. */
interface DurationGroup extends DurationFigures {
  readonly attributes: Attributes;
  readonly held: SparseHistogram;
}

/** Latencies of completed requests by class of status, and a separate group of lower bounds. */
function durationGroups(run: Run): DurationGroup[] {
  const { latency, requests, errors, censoredHistogram } = run;
  const bounds = censoredHistogram === undefined ? EMPTY : decodeSparse(censoredHistogram);
  const isKnown = bounds.count === latency.censored; // results of version 1 don't mark lower bounds
  const hasTimeoutsAlone = requests.unfinished + requests.dropped === 0 && errors.timeout;
  const ended = completedGroups(run, bounds).map((group) => ({
    ...group,
    attributes: { ...group.attributes, "plateau.lower_bound": isKnown ? false : undefined },
  }));
  const attributes = {
    "error.type": hasTimeoutsAlone ? "timeout" : "_OTHER",
    "plateau.lower_bound": true,
  };
  return [...ended, { ...bounds, attributes, held: bounds }].filter(({ held }) => held.count > 0);
}

function completedGroups(run: Run, bounds: SparseHistogram): DurationGroup[] {
  const { statusLatency, status, latency } = run;
  const codesOf = (first = ""): string[] =>
    Object.keys(status).filter((code) => status[code] > 0 && code.startsWith(first));
  if (statusLatency === undefined) {
    const held = withoutBounds(decodeInterval(run), bounds);
    const exact = bounds.count === 0 ? exactly(latency) : held;
    return [{ ...exact, attributes: statusAttributes(codesOf()), held }];
  }
  return Object.entries(statusLatency).map(([family, { latency, histogram }]) => ({
    ...exactly(latency),
    attributes: statusAttributes(codesOf(family[0]), family),
    held: decodeSparse(histogram),
  }));
}

function exactly({ min, max, mean, count }: Distribution): DurationFigures {
  return { minUs: 1_000 * min, maxUs: 1_000 * max, sumUs: 1_000 * mean * count };
}

const MESSAGE_OUTCOMES = ["received", "failed", "unfinished", "dropped"] as const;

/** Times of messages by figure, each with a separate group of lower bounds. */
function messageGroups(run: Run): DurationGroup[] {
  return MESSAGE_TIMES.flatMap((figure) => {
    const { histogram, censoredHistogram } = messageTimes(run, figure) ?? {};
    const all = histogram === undefined ? EMPTY : decodeSparse(histogram);
    const bounds = censoredHistogram === undefined ? EMPTY : decodeSparse(censoredHistogram);
    return [withoutBounds(all, bounds), bounds].map((held, i) => ({
      ...held,
      attributes: { "plateau.figure": figure, "plateau.lower_bound": i === 1 },
      held,
    }));
  }).filter(({ held }) => held.count > 0);
}

/** The fields of an ExponentialHistogramDataPoint, except its times and attributes. */
function histogramPoint({ held, sumUs, minUs, maxUs }: DurationGroup): DataPoint {
  const { offset, counts, zeros } = exponentialBuckets(held);
  return {
    count: String(held.count),
    sum: sumUs / 1e6,
    min: minUs / 1e6,
    max: maxUs / 1e6,
    scale: SCALE,
    zeroCount: String(zeros),
    positive: { offset, bucketCounts: counts.map(String) },
  };
}

function attributesOf(attributes: Attributes): unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }]
  );
}

function valueOf(value: string | number | boolean): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
