/**
 * The preflight check of a target. Before the load, it sends the script's requests, encoded as in the load, and checks
 * every response; of requests that differ only in their values, it sends only the first ones. It runs on the process
 * that is then measured, or, so that measured processes begin with untouched caches and rate limits, on a separate
 * process, once for each cell.
 */
import { messageOf, TargetError } from "../../base/errors.ts";
import { codingOf } from "../../base/http/content_coding.ts";
import { encodeRequest, openingOf, type WireRequest } from "../../base/http/request.ts";
import type { ReceivedResponse } from "../../base/http/received.ts";
import { beyond, isWithin, LIMITS } from "../../base/limits.ts";
import { dial } from "../../base/net/dial.ts";
import { whyNoResponse } from "../../base/net/dial_error.ts";
import { type Access, connectionOptions, proxyCredentials } from "../../base/net/endpoint.ts";
import { exchangeOn, TooFewStreams } from "../../base/net/one_exchange.ts";
import { withEngine } from "../../base/pattern.ts";
import { secretsIn, secretsInCookies } from "../../base/secret_fields.ts";
import { quotedOpenly, secrets, withoutSecrets } from "../../base/secrets.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import {
  type Expectation,
  expectedStatuses,
  responseProblem,
  responseText,
} from "../../scenarios/request/request.ts";
import {
  authenticatesLater,
  readsBody,
  requestsOf,
  type Script,
  type ScriptRequest,
} from "../../scenarios/request/script.ts";
import { filledToSend } from "../../scenarios/request/template.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { settlesWithin } from "../../targets/launch/settles.ts";
import { describeExit } from "../../targets/launch/start_up.ts";
import { takerOf, whyOverlooked } from "../load/engine/capture.ts";
import { redirectOf, type SentRequest } from "../load/engine/user/redirects.ts";
import { cookieJars } from "../load/engine/user/cookies.ts";
import type { Journey } from "../load/engine/flow.ts";
import type { Hooks, HookUser } from "../load/hooks/hooks.ts";
import { beginScript, type ScriptedRun, type ScriptParts } from "../script/run_script.ts";
import { type LoadedOrigin, originsOf } from "../measure/loader.ts";
import { callOf, mostInFlight } from "../measure/share.ts";

/**
 * How long, after a failed check, to wait for the news that the target's process has ended, because a process that ends
 * closes its connections before its end is noticed.
 */
const END_KNOWN_MS = 500;

interface PreflightSubject {
  readonly cell: Cell;
  readonly target: RunningTarget;
  readonly script: Script;
}

/** Throws as `checkResponses` does. If the target has ended, the error also says how, with its last lines of output. */
export async function preflight(
  { cell, target, script }: PreflightSubject,
  signal: AbortSignal,
): Promise<void> {
  const { origin, access, pid, exited } = target;
  const { timeout: timeoutMs, http2 } = cell.load;
  try {
    await checkResponses({
      ...{ target: cell.target, origin, ...access, http2, script, timeoutMs, signal },
      streams: mostInFlight(cell.load),
    });
  } catch (error) {
    if (!(error instanceof TargetError) || pid === null || signal.aborted) throw error;
    if (!await settlesWithin(exited, END_KNOWN_MS)) throw error;
    const why = `${error.message}; ${describeExit(await exited)}`;
    throw new TargetError(why, target.lastLines());
  }
}

export class SeparatePreflights {
  readonly #checks = new Map<Cell, Promise<void>>();

  /** @param start Starts a process of the cell's target that is used only for its preflight. */
  constructor(
    private readonly start: (cell: Cell) => Promise<RunningTarget>,
    private readonly scripted: ScriptParts,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Throws the errors of the target's start and of `checkResponses`. A failure is remembered and thrown again at every
   * repetition.
   */
  checkTarget(cell: Cell, script: Script): Promise<void> {
    const check = this.#checks.get(cell) ?? this.#checkOnce(cell, script);
    this.#checks.set(cell, check);
    return check;
  }

  async #checkOnce(cell: Cell, script: Script): Promise<void> {
    const target = await this.start(cell);
    let scripted: ScriptedRun | null = null;
    try {
      scripted = await beginScript(script, this.scripted, target.origin, this.signal);
      await preflight({ cell, target, script: scripted.script }, this.signal);
    } finally {
      await scripted?.end();
      await target.stop();
    }
  }
}

/**
 * The most requests that are checked of those that differ only in their values (rows of a file, drawn values). More
 * would delay every run, and would warm a target that is to be measured cold. The load itself checks all responses.
 */
const MOST_REQUESTS = 50;

export interface PreflightRequest extends Access {
  /** Name of the target, for the message. */
  readonly target: string;
  readonly origin: string;
  readonly script: Script;
  /** Time limit for each response, ms. */
  readonly timeoutMs: number;
  /** Concurrent requests that the load sends on each connection; absent: one. */
  readonly streams?: number;
  /** Ends the wait early, on Ctrl-C. */
  readonly signal: AbortSignal;
}

/**
 * Sends the script's requests and checks the responses. Throws a TargetError that shows a wrong response beside the
 * expected one.
 */
export async function checkResponses(given: PreflightRequest): Promise<void> {
  const request = await withReadyCalls(given);
  const { script } = request;
  const journeys = script.kind === "flow"
    ? firstJourneys(script)
    : [{ steps: firstRequests(script), user: script.own?.[0] ?? {} }];
  const preset = script.kind === "flow" ? script.cookies : null;
  const [{ origin }] = originsOf(request);
  const jars = preset && await cookieJars({ origin, preset });
  const found = new FoundSecrets();
  const hooks = await hooksOf(script);
  const ofUser = script.user && hooks?.preparedUser(script.user);
  const callOf = (kind: "start" | "end", user: HookUser): void => {
    const failure = ofUser?.[kind]?.(user) ?? null;
    if (failure === null) return;
    throw new TargetError(
      `Cannot measure target ${request.target}: the script failed at the ${kind} of a user's session: ${failure}`,
    );
  };
  for (const [number, { steps, user }] of journeys.entries()) {
    const variables = new Map(Object.entries(user));
    const known = { number, isNew: true, news: new Map(variables), variables };
    const journey = { variables, cookies: jars?.open() ?? null, found, hooks, user: known };
    callOf("start", known);
    for (const step of steps) await checkStep(step, journey, request);
    callOf("end", known);
  }
}

/** The request with its gRPC calls encoded. The gRPC code is loaded only if there are any. */
async function withReadyCalls(request: PreflightRequest): Promise<PreflightRequest> {
  const { script, timeoutMs, signal } = request;
  if (requestsOf(script).every(({ call }) => call === undefined)) return request;
  const { readyCalls, reflectOn } = await import("../grpc/ready_calls.ts");
  const reflect = reflectOn(originsOf(request)[0], timeoutMs, signal);
  return { ...request, script: await readyCalls(script, { timeoutMs, reflect }) };
}

/** The request with its gRPC messages encoded. Throws a TargetError if a value does not fit its message. */
async function encodedStep(
  { call }: ScriptRequest,
  wire: WireRequest,
  subject: string,
): Promise<WireRequest> {
  const input = call?.ready?.input;
  if (input === undefined) return wire;
  const { encodedCall } = await import("../../base/grpc/encode_call.ts");
  try {
    return encodedCall(wire, input);
  } catch (error) {
    throw new TargetError(`${subject} cannot be sent: ${messageOf(error)}`);
  }
}

/**
 * Why the response is not valid for its gRPC call; null if it is valid, if its content was not kept, or if the request
 * is not a gRPC call. The body of a unary response is replaced by its message as JSON.
 */
async function callProblem(
  { call, expect, captures }: ScriptRequest,
  { kept }: ReceivedResponse,
): Promise<string | null> {
  if (call?.ready === undefined || kept === null) return null;
  const { headProblem, wholeResponseProblem } = await import("../grpc/whole_response.ts");
  const spec = callOf(expect, call.ready, captures);
  return spec.isUnary ? wholeResponseProblem(spec, kept) : headProblem(spec, kept);
}

/** Whether a preflight waits only for the response's head. */
function isStreamed({ stream, call }: ScriptRequest): boolean {
  return stream !== undefined || call?.ready?.isUnary === false;
}

/** The hooks; null if the script has none. The engine that runs hooks is loaded only if it is needed. */
async function hooksOf({ code }: Script): Promise<Hooks | null> {
  if (code === undefined) return null;
  const { Hooks } = await import("../load/hooks/hooks.ts");
  const nowUs = (): number => performance.now() * 1_000;
  return await Hooks.open(code, { seed: 0, first: 0, stride: 1, nowUs });
}

const ROOM = { values: LIMITS.preflightSecrets.most, chars: LIMITS.secretText.most };

/** Secrets found by one preflight, within limits, because a server may set as many cookies as it likes. */
class FoundSecrets {
  readonly #values = new Set<string>();
  #chars = 0;

  /** Throws a TargetError if there are more secrets than can be kept, because later output would show the rest. */
  keep(values: readonly string[], subject: string): void {
    for (const value of values) {
      if (this.#values.has(value) || !secrets.keepFound(value, ROOM)) continue;
      this.#values.add(value);
      this.#chars += value.length;
    }
    const sizes = { preflightSecrets: this.#values.size, secretText: this.#chars };
    for (const name of ["preflightSecrets", "secretText"] as const) {
      if (isWithin(name, sizes[name])) continue;
      throw new TargetError(`${subject} has too many secrets: ${beyond(name, sizes[name])}`);
    }
  }
}

interface Finding {
  readonly found: FoundSecrets;
}

interface CheckedJourney {
  readonly steps: readonly ScriptRequest[];
  readonly user: Readonly<Record<string, string>>;
}

/**
 * The first requests that will be sent, without duplicates. At least one is included for each request that the
 * experiment file describes.
 */
function firstRequests({ requests, sequence }: Script & { kind: "requests" }): ScriptRequest[] {
  const first = new Set<number>();
  const written = new Set<Expectation>();
  for (const index of sequence) {
    const { expect } = requests[index];
    if (first.size >= MOST_REQUESTS && written.has(expect)) continue;
    first.add(index);
    written.add(expect);
  }
  return [...first].map((index) => requests[index]);
}

/** The whole journeys of the first virtual users; at least one journey. */
function firstJourneys(
  { steps, users, own = [{}] }: Script & { kind: "flow" },
): CheckedJourney[] {
  const requests = steps.filter((step) => step.kind === "request");
  const most = Math.max(1, Math.floor(MOST_REQUESTS / requests.length));
  const journeys = Math.min(most, Math.max(users.length, own.length));
  return Array.from({ length: journeys }, (_, at) => ({
    steps: requests,
    user: { ...users[at % users.length], ...own[at % own.length] },
  }));
}

async function checkStep(
  step: ScriptRequest,
  { variables, cookies, found, hooks, user }:
    & Pick<Journey, "variables" | "cookies">
    & Finding
    & { readonly hooks: Hooks | null; readonly user: HookUser },
  request: PreflightRequest,
): Promise<void> {
  const target = `Cannot measure target ${request.target}`;
  const own = step.hooks === undefined ? null : hooks?.prepared(step.hooks, null) ?? null;
  const filled = filledToSend(step.wire, variables);
  const wire = own?.before?.(user, filled) ?? filled;
  if (typeof wire === "string") {
    const at = `${filled.method} ${withoutSecrets(filled.path)}`;
    throw new TargetError(`${target}: the script failed before ${at}: ${wire}`);
  }
  found.keep(secretsIn(wire), target);
  const subject = `${target}: ${wire.method} ${withoutSecrets(wire.path)}`;
  const encoded = await encodedStep(step, wire, subject);
  const response = await followed({ step, wire: encoded, cookies, subject, found }, request);
  const unlike = await callProblem(step, response);
  if (unlike !== null) throw new TargetError(`${subject} got a wrong response: ${unlike}`);
  const { bytes, problem } = readsBody(step)
    ? response.kept?.content() ?? NOTHING
    : { ...NOTHING, bytes: response.kept?.body() ?? NOTHING.bytes };
  const shown = { status: response.status, body: bytes };
  // Of streams and WebSockets, only the status is checked here. The load, which waits for their
  // messages, checks those.
  const expect = step.socket !== undefined
    ? { status: 101 }
    : isStreamed(step)
    ? { status: step.expect.status }
    : step.expect;
  const hasRightStatus = expectedStatuses(expect).includes(response.status);
  const wrong = (hasRightStatus ? problem : null) ??
    await withEngine(() => responseProblem(expect, shown));
  if (wrong !== null) {
    throw new TargetError(`${subject} got a wrong response: ${wrong}${compressionHint(response)}`);
  }
  for (const capture of step.captures) {
    const value = await withEngine(() => takerOf(capture)(response));
    if (value === null) {
      const missed = `a response without the value for ${quotedOpenly(capture.as)}`;
      const why = whyOverlooked(capture, response) ?? `got ${responseText(shown)}`;
      throw new TargetError(`${subject} got ${missed}: ${why}`);
    }
    if (authenticatesLater(capture.as, request.script)) found.keep([value], subject);
    variables.set(capture.as, value);
    user.news.set(capture.as, value);
  }
  const failure = own?.after?.(user, response) ?? null;
  if (failure !== null) {
    throw new TargetError(`${subject}: the script failed after the response: ${failure}`);
  }
}

const NOTHING = { bytes: new Uint8Array(0), problem: null };

interface FollowedRequest extends Finding {
  readonly step: ScriptRequest;
  readonly wire: WireRequest;
  readonly cookies: Journey["cookies"];
  /** The first words of every error message. */
  readonly subject: string;
}

/** Characters shown of a Location that is not a URL. */
const MOST_LOCATION_CHARS = 200;

/** The response to a request after following its redirects. */
async function followed(
  { step, wire, cookies, subject, found }: FollowedRequest,
  request: PreflightRequest,
): Promise<ReceivedResponse> {
  const origins = originsOf(request);
  const names = origins.map(({ origin }) => origin);
  let sent: SentRequest = { wire, origin: 0 };
  for (let hops = 0;; hops++) {
    const to = origins[sent.origin];
    const { path } = sent.wire;
    const withCookies = cookies?.added(sent.wire, to.origin) ?? sent.wire;
    if (withCookies !== sent.wire) {
      found.keep(secretsInCookies(withCookies.headers.cookie), subject);
    }
    const response = await sendOnce(withCookies, to, request, step).catch((error: unknown) => {
      const isLimit = error instanceof TooFewStreams;
      const tls = "path" in to.endpoint ? undefined : to.endpoint.tls;
      const why = isLimit ? error.message : `got no response: ${whyNoResponse(error, tls)}`;
      throw new TargetError(`${subject} ${why}`);
    });
    const set = cookies?.keep(response, () => to.origin + path) ?? [];
    found.keep(set.flatMap((line) => secretsInCookies(line.split(";", 1)[0])), subject);
    const next = step.follow && redirectOf(response, sent, names);
    if (next === null || step.follow === null) return response;
    const { most } = step.follow;
    if ("unreadable" in next) {
      const location = quotedOpenly(next.unreadable.slice(0, MOST_LOCATION_CHARS));
      const why = `its Location is ${location}, which is not an http address`;
      throw new TargetError(
        `${subject} is redirected, but the redirect cannot be followed: ${why}`,
      );
    }
    if ("elsewhere" in next) {
      const elsewhere = withoutSecrets(next.elsewhere);
      const named = quotedOpenly([...names.slice(1), next.elsewhere]);
      const fix = `if that host may be loaded, write follow: { hops: ${most}, hosts: ${named} }`;
      throw new TargetError(`${subject} is redirected to ${elsewhere}: ${fix}`);
    }
    if (hops >= most) {
      const last = `${most} times, the last time to ${withoutSecrets(path)}`;
      throw new TargetError(`${subject} is redirected more than ${last}`);
    }
    sent = next;
  }
}

/** A hint if the body looks compressed although the response has no content-encoding; otherwise "". */
function compressionHint({ kept }: ReceivedResponse): string {
  if (kept === null || kept.field("content-encoding") !== null) return "";
  const coding = codingOf(kept.body());
  return coding === null
    ? ""
    : `; the body looks like ${coding}, but the response has no content-encoding`;
}

async function sendOnce(
  wire: WireRequest,
  { origin, endpoint }: LoadedOrigin,
  { timeoutMs, signal, streams = 1 }: PreflightRequest,
  step: ScriptRequest,
): Promise<ReceivedResponse> {
  const end = new AbortController();
  signal.addEventListener("abort", () => end.abort(signal.reason), { signal: end.signal });
  if (signal.aborted) end.abort(signal.reason);
  const late = setTimeout(() => end.abort(new Error(`none within ${timeoutMs} ms`)), timeoutMs);
  try {
    for (const secret of proxyCredentials(endpoint)) secrets.keep(secret);
    const conn = await dial(endpoint, end.signal);
    end.signal.addEventListener("abort", () => conn.close());
    if (end.signal.aborted) conn.close(); // the connection opened just as the wait ended
    const connection = connectionOptions(origin, endpoint, false);
    if (step.socket !== undefined) {
      const { openSocketOn } = await import("../../base/net/one_socket.ts");
      return await openSocketOn(conn, openingOf(wire, connection).bytes, step.socket);
    }
    const bytes = encodeRequest(wire, connection);
    const head = wire.method === "HEAD";
    const exchange = { bytes, head, isStream: isStreamed(step), streams };
    return await exchangeOn(conn, endpoint, exchange);
  } catch (error) {
    end.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(late);
    end.abort();
  }
}
