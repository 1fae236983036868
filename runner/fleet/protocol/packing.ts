/**
 * Workers' reports as JSON and back: the functions `pack…` make the JSON, and the schemas read it. Everything is
 * bounded and checked, because agents are not trusted.
 */
import * as z from "zod";
import { ofIntervalTimes } from "../../../base/figures/figure.ts";
import { LIMITS } from "../../../base/limits.ts";
import { withoutSecrets } from "../../../base/secrets.ts";
import type { IntervalPart } from "../../load/recording/intervals.ts";
import type { BoundedTotals } from "../../load/recording/message_counts.ts";
import { type MessageTotals, MOST_NAMES } from "../../load/recording/messages.ts";
import { MOST_CODES, type SocketTotals } from "../../load/recording/socket_messages.ts";
import { STATUS_CODES } from "../../load/recording/recorder.ts";
import {
  isResponseGroup,
  MAX_REASONS,
  MOST_GROUPS,
  type WorkerTotals,
} from "../../load/recording/totals.ts";
import { MOST_SECONDS } from "../../load/recording/second_counts.ts";
import { SLOWEST, type SlowExchange } from "../../load/recording/slowest.ts";
import { MOST_TAIL, type TailTimes } from "../../load/recording/tail.ts";
import { CLASSES, type StepTotals } from "../../load/recording/steps.ts";
import type { Health, SoFarReport, WorkerReport } from "../../load/worker/messages.ts";
import { GRPC_STATUSES } from "../../../scenarios/request/request.ts";
import { ERRORS } from "../../result/outcome.ts";
import { SLOW_OUTCOMES } from "../../result/distribution.ts";
import { hookUse } from "../../result/hooks.ts";
import { tls } from "../../result/tls.ts";
import {
  isAmong,
  packedHistogram,
  packedHistogramOrNone,
  packHistogram,
  packHistogramOrNone,
} from "./packed_histogram.ts";

/** The most characters of texts; longer ones are cut before they are sent. */
const MOST_CHARS = { reason: 500, request: 2_000 } as const;
/** The number of intervals in a day if they are as short as possible. */
const MOST_INTERVALS = 8_640_000;
/**
 * The most seconds that one entry of a table of counts over time may cover. A full table of such entries spans three
 * weeks.
 */
const MOST_EVERY_S = 1_024;
/** The most seconds that an interval touches: it lasts at most a minute, and may begin in the middle of a second. */
const MOST_SECONDS_OF_INTERVAL = 61;

const count = z.int().min(0);
/** The highest time in µs: longer than any run, and so low that sums over a fleet stay exact to the microsecond. */
const MOST_US = 1e13;
const us = z.number().min(0).max(MOST_US);
const NOT_AMONG = "Cannot read lower bounds that are not among the values";
/** Counts of failures, in the order of ERRORS. */
const errors = z.array(count).length(ERRORS.length);

const packedTimes = z.strictObject({
  all: packedHistogram,
  censored: packedHistogramOrNone,
}).refine(({ all, censored }) => isAmong(censored, all), NOT_AMONG);

function packTimes({ all, censored }: BoundedTotals): z.input<typeof packedTimes> {
  return { all: packHistogram(all), censored: packHistogramOrNone(censored) };
}

export const packedPart = z.strictObject({
  index: count.max(MOST_INTERVALS),
  completed: count,
  failed: count,
  errors: errors.nullable(),
  wrong: count,
  bytesIn: count,
  secondCompleted: z.array(count).max(MOST_SECONDS_OF_INTERVAL),
  secondBytes: z.array(count).max(MOST_SECONDS_OF_INTERVAL),
  latency: packedHistogram,
  censored: packedHistogramOrNone,
  messages: z.strictObject({
    received: count,
    failed: count,
    ...ofIntervalTimes(() => packedTimes),
  }).optional(),
}).refine(({ latency, censored }) => isAmong(censored, latency), NOT_AMONG);

type PackedPart = z.input<typeof packedPart>;

export function packPart(part: IntervalPart): PackedPart {
  const { errors, latency, censored, secondCompleted, secondBytes, messages, ...counts } = part;
  return {
    ...counts,
    ...messages && {
      messages: {
        ...messages,
        ...ofIntervalTimes((name) => packTimes(messages[name])),
      },
    },
    errors: errors === null ? null : [...errors],
    secondCompleted: [...secondCompleted],
    secondBytes: [...secondBytes],
    latency: packHistogram(latency),
    censored: packHistogramOrNone(censored),
  };
}

export const packedHealth = z.strictObject({ cpuRatio: z.number().min(0), lateUs: us });

type PackedHealth = z.input<typeof packedHealth>;

export function packHealth({ cpuRatio, lateUs }: Health): PackedHealth {
  return { cpuRatio, lateUs };
}

/** Number of completed requests for each status code that occurred, in the codes' order. */
const packedStatus = z.array(z.tuple([count.max(STATUS_CODES - 1), count])).max(STATUS_CODES)
  .refine((pairs) => pairs.every(([code], at) => at === 0 || code > pairs[at - 1][0]), {
    error: "Cannot read status codes that are not in ascending order",
  }).transform((pairs) => {
    const status = new Float64Array(STATUS_CODES);
    for (const [code, completed] of pairs) status[code] = completed;
    return status;
  });

function packStatus(status: Float64Array): [code: number, completed: number][] {
  const pairs: [code: number, completed: number][] = [];
  for (let code = 0; code < status.length; code++) {
    if (status[code] > 0) pairs.push([code, status[code]]);
  }
  return pairs;
}

/** Number of failures for each reason; one additional entry counts all other reasons. */
const packedReasons = z.array(z.tuple([z.string().max(MOST_CHARS.reason), count]))
  .max(MAX_REASONS + 1)
  .refine((pairs) => new Set(pairs.map(([reason]) => reason)).size === pairs.length, {
    error: "Cannot read a reason twice",
  }).transform((pairs): ReadonlyMap<string, number> => new Map(pairs));

function packReasons(reasons: ReadonlyMap<string, number>): [reason: string, failed: number][] {
  const cut = new Map<string, number>();
  for (const [reason, failed] of reasons) {
    const known = cutTo(MOST_CHARS.reason, reason);
    cut.set(known, (cut.get(known) ?? 0) + failed);
  }
  return [...cut];
}

function cutTo(chars: number, text: string): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}

/** Counts over time. Each entry covers 1, 2, 4, … seconds, because tables with other steps could not be added up. */
const packedSeconds = z.strictObject({
  everyS: z.int().min(1).max(MOST_EVERY_S).refine(
    (everyS) => Number.isInteger(Math.log2(everyS)),
    "Cannot read counts by second unless each covers 1, 2, 4, … seconds",
  ),
  counts: z.array(count).max(MOST_SECONDS),
});

const moment = z.number().min(-MOST_US).max(MOST_US);

const packedSlow = z.strictObject({
  latencyUs: us,
  dueUs: moment,
  sentUs: moment,
  doneUs: moment,
  slot: count,
  outcome: z.enum(SLOW_OUTCOMES),
  status: count.max(STATUS_CODES - 1),
  request: z.string().max(MOST_CHARS.request).nullable(),
});

function packSlow(exchange: SlowExchange): z.input<typeof packedSlow> {
  const { request } = exchange;
  const shown = request === null ? null : cutTo(MOST_CHARS.request, withoutSecrets(request));
  return { ...exchange, request: shown };
}

const packedTail = z.strictObject({
  dueUs: z.array(moment).max(MOST_TAIL),
  latencyUs: z.array(us).max(MOST_TAIL),
}).refine(({ dueUs, latencyUs }) => dueUs.length === latencyUs.length, {
  error: "Cannot read latencies unless each has the moment at which its request was due",
}).transform(({ dueUs, latencyUs }): TailTimes => ({
  dueUs: Float64Array.from(dueUs),
  latencyUs: Float64Array.from(latencyUs),
}));

const packedGroups = z.array(z.tuple([z.string().refine(isResponseGroup), packedHistogram]))
  .max(MOST_GROUPS)
  .refine((pairs) => new Set(pairs.map(([group]) => group)).size === pairs.length, {
    error: "Cannot read two entries for one group of responses",
  }).transform((pairs) => new Map(pairs));

const packedSteps = z.array(
  z.strictObject({
    completed: count,
    failed: count,
    unfinished: count,
    dropped: count,
    wrong: count,
    classes: z.array(count).length(CLASSES),
    errors,
    seconds: packedSeconds,
    latency: packedHistogram,
    censored: packedHistogramOrNone,
  }).refine(({ latency, censored }) => isAmong(censored, latency), NOT_AMONG),
)
  .max(LIMITS.stepNames.most);

function packStep(step: StepTotals): z.input<typeof packedSteps>[number] {
  return {
    ...step,
    classes: [...step.classes],
    errors: [...step.errors],
    seconds: { ...step.seconds, counts: [...step.seconds.counts] },
    latency: packHistogram(step.latency),
    censored: packHistogramOrNone(step.censored),
  };
}

/** Counts of a step's messages. */
const messageCounts = {
  step: count.max(LIMITS.stepNames.most),
  due: count,
  received: count,
  failed: count,
  unfinished: count,
  dropped: count,
};

/**
 * The messages of a step's streams. The limit allows one more name than is counted separately, because the last entry
 * stands for all other names.
 */
const packedMessages = z.strictObject({
  ...messageCounts,
  inTime: count,
  whole: count,
  interruptions: z.strictObject({ ended: count, cut: count, refused: count }),
  first: packedTimes,
  gap: packedTimes,
  names: z.array(z.strictObject({
    name: z.string().max(MOST_CHARS.reason),
    received: count,
    gap: packedHistogram,
  })).max(MOST_NAMES + 1),
  hasTokens: z.boolean(),
  tokens: count,
  tokensInTime: count,
  firstToken: packedTimes,
  perToken: packedHistogram,
});

function packMessages(messages: MessageTotals): z.input<typeof packedMessages> {
  return {
    ...messages,
    first: packTimes(messages.first),
    gap: packTimes(messages.gap),
    names: messages.names.map(({ name, received, gap }) => ({
      name: withoutSecrets(name),
      received,
      gap: packHistogram(gap),
    })),
    firstToken: packTimes(messages.firstToken),
    perToken: packHistogram(messages.perToken),
  };
}

/**
 * The messages of a step's WebSockets. The limit allows one more close code than is counted separately, because the
 * last entry stands for all other codes.
 */
const packedSockets = z.strictObject({
  ...messageCounts,
  opened: count,
  sent: count,
  came: count,
  cameInTime: count,
  unmatched: count,
  latency: packedTimes,
  closeCodes: z.array(z.tuple([z.int().min(0).max(4_999), count])).max(MOST_CODES + 1),
});

function packSockets(
  { latency, closeCodes, ...counts }: SocketTotals,
): z.input<typeof packedSockets> {
  return {
    ...counts,
    latency: packTimes(latency),
    closeCodes: closeCodes.map(([code, sockets]) => [code, sockets]),
  };
}

/** Totals of each step, as a list. A load with a single step has it as step 0. */
function byStep<Totals extends z.ZodType<{ readonly step: number }>>(
  totals: Totals,
): z.ZodArray<Totals> {
  return z.array(totals).max(LIMITS.stepNames.most + 1)
    .refine((all) => new Set(all.map(({ step }) => step)).size === all.length, {
      error: "Cannot read a step twice",
    });
}

const packedTotals = z.strictObject({
  due: count,
  completed: count,
  failed: count,
  unfinished: count,
  dropped: count,
  censored: count,
  drain: z.strictObject({ us, completed: count, failed: count, bytesIn: count }),
  checksPassed: count,
  checksFailed: count,
  reconnects: count,
  unsolicited: count,
  bytesIn: count,
  bytesOut: count,
  status: packedStatus,
  errors: errors.transform((counts) => Float64Array.from(counts)),
  reasons: packedReasons,
  service: packedHistogram,
  serviceCensored: packedHistogramOrNone,
  firstByte: packedHistogram,
  connect: packedHistogram,
  lag: packedHistogram,
  fastestUs: us.nullable().describe("The shortest latency; null: no request completed").transform((
    us,
  ) => us ?? Infinity),
  slowest: z.array(packedSlow).max(SLOWEST),
  tail: packedTail,
  lastUs: us,
  groups: packedGroups,
  steps: packedSteps,
  messages: byStep(packedMessages).optional(),
  calls: z.array(count).length(GRPC_STATUSES.length + 1)
    .transform((counts) => Float64Array.from(counts)).optional(),
  sockets: byStep(packedSockets).optional(),
}).refine(({ service, serviceCensored }) => isAmong(serviceCensored, service), NOT_AMONG);

function packTotals(totals: WorkerTotals): z.input<typeof packedTotals> {
  return {
    ...totals,
    status: packStatus(totals.status),
    errors: [...totals.errors],
    reasons: packReasons(totals.reasons),
    service: packHistogram(totals.service),
    serviceCensored: packHistogramOrNone(totals.serviceCensored),
    firstByte: packHistogram(totals.firstByte),
    connect: packHistogram(totals.connect),
    lag: packHistogram(totals.lag),
    fastestUs: totals.fastestUs === Infinity ? null : totals.fastestUs,
    slowest: totals.slowest.map(packSlow),
    tail: { dueUs: [...totals.tail.dueUs], latencyUs: [...totals.tail.latencyUs] },
    steps: totals.steps.map(packStep),
    messages: totals.messages?.map(packMessages),
    calls: totals.calls && [...totals.calls],
    sockets: totals.sockets?.map(packSockets),
    groups: [...totals.groups].map(([group, times]) => [group, packHistogram(times)]),
  };
}

export const packedReport = z.strictObject({
  totals: packedTotals,
  sessions: z.strictObject({
    created: count,
    completed: count,
    failed: count,
    length: packedHistogram,
    places: count,
    mostOfPlace: count,
  }),
  elapsedUs: us,
  time: z.strictObject({ cpuUs: us, waitedUs: us.nullable() }),
  spunUs: us,
  busyPeriods: packedHistogram,
  timerUs: us,
  tls: tls.optional(),
  hooks: hookUse.optional(),
});

type PackedReport = z.input<typeof packedReport>;

export function packReport(report: WorkerReport): PackedReport {
  const { totals, sessions, elapsedUs, time, spunUs, busyPeriods, timerUs, tls, hooks } = report;
  return {
    totals: packTotals(totals),
    sessions: { ...sessions, length: packHistogram(sessions.length) },
    elapsedUs,
    time,
    spunUs,
    busyPeriods: packHistogram(busyPeriods),
    timerUs,
    tls,
    hooks,
  };
}

export const packedSoFar = packedReport.extend({ open: packedHistogram });

type PackedSoFar = z.input<typeof packedSoFar>;

export function packSoFar(report: SoFarReport): PackedSoFar {
  return { ...packReport(report), open: packHistogram(report.open) };
}
