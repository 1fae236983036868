/**
 * Sends metrics to the collector that the user named, by OTLP/HTTP (opentelemetry-proto, docs/specification.md).
 * Retries what the protocol allows to retry, for half a minute in total. Follows no redirect and uses no proxy, so that
 * nobody else receives the metrics.
 */
import { TargetError } from "../../base/errors.ts";
import { encodeRequest } from "../../base/http/request.ts";
import { COMPLETE, NEED_MORE, ResponseReader } from "../../base/http/response.ts";
import { beyond, LIMITS, oneMoreThan } from "../../base/limits.ts";
import type { Connection } from "../../base/net/connection.ts";
import { dial } from "../../base/net/dial.ts";
import { DialError, whyNoResponse } from "../../base/net/dial_error.ts";
import { endpointOf } from "../../base/net/endpoint.ts";
import { secrets } from "../../base/secrets.ts";
import { formatDuration } from "../../report/writing/units.ts";
import { counted } from "../../report/writing/words.ts";
import { textLines } from "../../report/writing/terminal.ts";
import type { Written } from "../../report/writing/written.ts";
import type { Collector } from "../flags/output_flags.ts";
import { printError } from "../terminal/terminal.ts";

/** Time during sending; tests have a clock of their own. */
export interface SendingClock {
  /** Time by a monotonic clock. */
  nowMs(): number;
  /** Milliseconds since the epoch, for a wait until a date. */
  dateMs(): number;
  /** Rejects with the signal's reason. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Aborts after this time. */
  late(ms: number): AbortSignal;
  /** A random number from 0 to 1. */
  random(): number;
}

/** Time limits for one response, and for all requests including pauses. */
const ATTEMPT_MS = 10_000;
const TOTAL_MS = 30_000;
/** No attempt begins with less time left than this, because a collector could hardly respond. */
const LEAST_ATTEMPT_MS = 500;
/** The statuses after which OTLP/HTTP allows retries. */
const RETRIED = [429, 502, 503, 504];
/** Attempts to connect: an unreachable collector is rarely back a moment later. */
const MOST_CONNECTIONS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 8_000;
const DAY_MS = 86_400_000;
const SHOWN_CHARACTERS = 300;

interface SendingBounds {
  readonly clock: SendingClock;
  readonly signal: AbortSignal;
  readonly untilMs: number;
}

/**
 * Throws a TargetError that says why not everything was accepted, or the signal's reason if it aborts during sending.
 * If the signal has aborted earlier, it has ended the load, whose figures are sent anyway.
 */
export async function sendMetrics(
  to: Collector,
  requests: readonly Written<"json">[],
  signal: AbortSignal = new AbortController().signal,
  clock: SendingClock = CLOCK,
): Promise<void> {
  const ends = signal.aborted ? new AbortController().signal : signal;
  const sending = { clock, signal: ends, untilMs: clock.nowMs() + TOTAL_MS };
  for (const [at, request] of requests.entries()) {
    try {
      await deliver(to, secrets.form(request), sending);
    } catch (error) {
      ends.throwIfAborted();
      if (!(error instanceof NotTaken)) throw error;
      const part = requests.length === 1 ? "" : `, part ${at + 1} of ${requests.length}`;
      throw new TargetError(`Cannot send metrics to ${placeOf(to)}${part}: ${error.message}`);
    }
  }
}

/** The address without the parts that may be secret. */
function placeOf({ url }: Collector): string {
  return url.origin + url.pathname;
}

/** An error whose message says, as part of a sentence, why a collector did not accept something. */
class NotTaken extends Error {}

/** A refusal that may be temporary. @param askedMs The pause that the collector asks for; 0 if it names none. */
class NotYetTaken extends NotTaken {
  constructor(why: string, readonly askedMs: number, readonly mostAttempts = Infinity) {
    super(why);
  }
}

async function deliver(to: Collector, text: string, sending: SendingBounds): Promise<void> {
  const { clock, signal, untilMs } = sending;
  for (let attempt = 1;; attempt++) {
    if (clock.nowMs() + LEAST_ATTEMPT_MS > untilMs) {
      throw new NotTaken(`Plateau gives up after ${formatDuration(TOTAL_MS / 1_000)}`);
    }
    try {
      return readResponse(await responseTo(to, text, sending), to, clock);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NotYetTaken)) throw error;
      const { message, askedMs, mostAttempts } = error;
      const waitMs = Math.max(askedMs, pauseMs(attempt, clock));
      const tried = attempt === 1 ? "" : `, in ${attempt} attempts`;
      if (attempt >= mostAttempts) throw new NotTaken(message + tried);
      if (clock.nowMs() + waitMs + LEAST_ATTEMPT_MS > untilMs) {
        throw new NotTaken(message + tried + tooLongWait(askedMs));
      }
      await clock.pause(waitMs, signal);
    }
  }
}

/**
 * A pause that doubles each time, half of it random, so that clients don't return at the same time. No collector can
 * shorten it.
 */
function pauseMs(attempt: number, { random }: SendingClock): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + random() / 2);
}

/** Why the pause that a collector asks for is too long; "" if Plateau's own pauses would be too long anyway. */
function tooLongWait(askedMs: number): string {
  if (askedMs <= LONGEST_PAUSE_MS) return "";
  const asked = askedMs > DAY_MS ? "more than a day" : formatDuration(askedMs / 1_000);
  return ` and asks for a pause of ${asked}, but Plateau gives up after ${
    formatDuration(TOTAL_MS / 1_000)
  }`;
}

interface CollectorResponse {
  readonly status: number;
  readonly location: string | null;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function responseTo(
  { url, headers }: Collector,
  text: string,
  { clock, signal, untilMs }: SendingBounds,
): Promise<CollectorResponse> {
  const limitMs = Math.min(ATTEMPT_MS, untilMs - clock.nowMs());
  const late = clock.late(limitMs);
  const either = AbortSignal.any([signal, late]);
  let connection: Connection | null = null;
  const close = (): void => {
    connection?.close();
    connection = null;
  };
  either.addEventListener("abort", close);
  try {
    connection = await dial(endpointOf(url.origin), either);
    either.throwIfAborted();
    const fields = { "Content-Type": "application/json", ...Object.fromEntries(headers) };
    const request = {
      method: "POST",
      path: url.pathname + url.search,
      headers: fields,
      body: text,
    };
    const bytes = encodeRequest(request, { host: url.host, keepAlive: false });
    return await exchange(connection, bytes);
  } catch (error) {
    if (error instanceof NotTaken) throw error;
    if (late.aborted) {
      throw new NotTaken(`it did not respond within ${formatDuration(limitMs / 1_000)}`);
    }
    const isFinal = error instanceof DialError && error.kind === "tls";
    const why = whyNoResponse(error);
    throw isFinal ? new NotTaken(why) : new NotYetTaken(why, 0, MOST_CONNECTIONS);
  } finally {
    either.removeEventListener("abort", close);
    close();
  }
}

/** A response may arrive before the whole request was read. */
async function exchange(connection: Connection, request: Uint8Array): Promise<CollectorResponse> {
  const reader = new ResponseReader({ retain: true, maxKeptBytes: LIMITS.otlpResponse.most });
  reader.begin(false);
  const writing = writeAll(connection, request).then(() => null, (error: unknown) => error);
  const unread = await readInto(reader, connection).then(() => null, (error: unknown) => error);
  if (reader.state === NEED_MORE) throw unread ?? await writing;
  if (reader.state !== COMPLETE) {
    const isTooLong = reader.bodyBytes > LIMITS.otlpResponse.most;
    const why = isTooLong ? beyond("otlpResponse", oneMoreThan("otlpResponse")) : reader.reason;
    throw reader.started
      ? new NotTaken(`its response can't be read: ${why}`)
      : new Error("it hung up without a response");
  }
  const { status, kept } = reader;
  return {
    status,
    location: kept?.field("location") ?? null,
    retryAfter: kept?.field("retry-after") ?? null,
    text: new TextDecoder().decode(kept?.body()),
  };
}

async function writeAll(connection: Connection, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function readInto(reader: ResponseReader, connection: Connection): Promise<void> {
  const bytes = new Uint8Array(16_384);
  while (reader.state === NEED_MORE) {
    const length = await connection.read(bytes);
    if (length === null) reader.end();
    else reader.read(bytes, 0, length);
  }
}

/** Throws a NotTaken if the response does not accept everything. */
function readResponse(
  { status, location, retryAfter, text }: CollectorResponse,
  to: Collector,
  clock: SendingClock,
): void {
  if (status >= 200 && status < 300) return readSuccess(text, to);
  if (RETRIED.includes(status)) {
    throw new NotYetTaken(`it responds with ${status}`, askedMsOf(retryAfter, clock));
  }
  if (status >= 300 && status < 400) {
    const where = location === null ? "elsewhere" : `to ${shown(location)}`;
    throw new NotTaken(
      `it redirects ${where}, but redirects are not followed; write the URL of the collector itself`,
    );
  }
  const said = shown(fieldOf(jsonOf(text), "message") ?? "");
  const fix = status === 404 ? "; does it receive OTLP/HTTP at this address?" : "";
  throw new NotTaken(`it responds with ${status}${said === "" ? "" : `, ${said}`}${fix}`);
}

/** Reads ExportMetricsServiceResponse; an empty one means that nothing was refused. */
function readSuccess(text: string, to: Collector): void {
  if (text.trim() === "") return;
  const message = jsonOf(text);
  if (typeof message !== "object" || message === null) {
    throw new NotTaken("its response is not JSON, so it is not an OTLP/HTTP collector");
  }
  const partial = Reflect.get(message, "partialSuccess");
  const rejected = fieldOf(partial, "rejectedDataPoints") ?? "0";
  const said = shown(fieldOf(partial, "errorMessage") ?? "");
  if (!/^0*$/.test(rejected)) {
    throw new NotTaken(`it rejected ${dataPoints(rejected)}${said === "" ? "" : `: ${said}`}`);
  }
  if (said !== "") printError(textLines([`Note: ${placeOf(to)} says: ${said}`]));
}

/** An int64 in protobuf's JSON is a number or a string of digits; anything else is not a count. */
function dataPoints(rejected: string): string {
  if (!/^\d{1,19}$/.test(rejected)) return "data points, without saying how many";
  return counted(Number(rejected), "data point");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldOf(message: unknown, name: string): string | null {
  const value: unknown = Reflect.get(Object(message), name);
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** Text from outside, shortened to a line. */
function shown(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

/** The pause in a Retry-After (RFC 9110 §10.2.3), as seconds or a date; 0 if it is over or unreadable. */
function askedMsOf(retryAfter: string | null, clock: SendingClock): number {
  if (retryAfter === null) return 0;
  const ms = /^\d+$/.test(retryAfter)
    ? 1_000 * Number(retryAfter)
    : Date.parse(retryAfter) - clock.dateMs();
  return Math.max(0, Number.isNaN(ms) ? 0 : ms);
}

const CLOCK: SendingClock = {
  nowMs: () => performance.now(),
  dateMs: Date.now,
  late: (ms) => AbortSignal.timeout(ms),
  random: Math.random,
  pause: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal.addEventListener("abort", stop, { once: true });
    }),
};
