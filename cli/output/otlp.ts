/**
 * Sends metrics by OTLP/HTTP to the collector that the user named (opentelemetry-proto, docs/specification.md). Retries
 * if the protocol allows that, for at most half a minute in total. Does not follow redirects or use a proxy, so that
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

/** The clock and random numbers for sending; tests replace them. */
export interface SendingClock {
  /** Time of a monotonic clock, in milliseconds. */
  nowMs(): number;
  /** Milliseconds since the epoch, to wait until a date that the collector names. */
  dateMs(): number;
  /** Resolves after `ms`. Rejects with the signal's reason if it aborts earlier. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** A signal that aborts after `ms`. */
  late(ms: number): AbortSignal;
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** Time limits: for one attempt, and for all attempts together with the pauses between them. */
const ATTEMPT_MS = 10_000;
const TOTAL_MS = 30_000;
/** No attempt begins with less time left than this, because the collector could hardly respond in so short a time. */
const LEAST_ATTEMPT_MS = 500;
/** Statuses after which OTLP/HTTP allows a retry. */
const RETRIED = [429, 502, 503, 504];
/**
 * Maximum number of attempts to connect. It is small, because an unreachable collector is rarely back a moment later.
 */
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
 * Throws a TargetError that says why not all metrics were accepted, or the signal's reason if it aborts while metrics
 * are sent. A signal that is already aborted is ignored: its abort ended the load, but the figures up to then are still
 * sent.
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

/** The collector's URL without the parts that may be secret. */
function placeOf({ url }: Collector): string {
  return url.origin + url.pathname;
}

/** Says why a collector did not accept metrics. The message is a part of a sentence. */
class NotTaken extends Error {}

/** A failure that may be temporary. @param askedMs The pause that the collector asks for; 0 if it asks for none. */
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
 * The pause after an attempt, at random between half and all of a base that doubles with each attempt, up to
 * `LONGEST_PAUSE_MS`. Chance keeps clients from all returning at the same time.
 */
function pauseMs(attempt: number, { random }: SendingClock): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + random() / 2);
}

/**
 * Says that the collector asks for too long a pause; "" if that pause is no longer than the longest one that Plateau
 * makes itself.
 */
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

/**
 * Sends a request and reads the response at the same time, because the collector may respond before it has read the
 * whole request.
 */
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

/** Throws a NotTaken unless the response says that everything was accepted. */
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

/** Reads an ExportMetricsServiceResponse. An empty one means that everything was accepted. */
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

/**
 * Formats the number of rejected data points. It is an int64, which protobuf's JSON writes as a number or as a string
 * of digits.
 */
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

/** Shortens text from the collector. */
function shown(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

/**
 * The pause in milliseconds that a Retry-After field asks for, in seconds or until a date (RFC 9110 §10.2.3); 0 if
 * there is no such field, if its date has passed, or if its value can't be read.
 */
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
