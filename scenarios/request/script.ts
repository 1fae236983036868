/**
 * A scenario made ready to be sent. Every choice has been drawn by the seed, and every value that is known before the
 * load is in place. Pure.
 */
import type { ThinkShape } from "../pace/think_times.ts";
import {
  type CaptureSpec,
  type Cookies,
  type FlowStepSpec,
  isRequest,
  type RequestStepSpec,
  stepsOfPage,
  type ThinkSpec,
} from "./flow.ts";
import { redirectedName, stepNameOf } from "../../base/figures/steps.ts";
import { checkLimit, LIMITS } from "../../base/limits.ts";
import { type Draw, drawBy, shuffled } from "../../base/random.ts";
import { isSecretField } from "../../base/secret_fields.ts";
import { bodyLength } from "../../base/http/body.ts";
import type { ProtoTypes, RootType } from "../../base/grpc/message_types.ts";
import type { WireRequest } from "../../base/http/request.ts";
import type { BodySource } from "./values.ts";
import { type Follow, followOf } from "./follow.ts";
import { type Expectation, type RequestFields, wireRequest } from "./request.ts";
import type { Replay } from "../replay/schedule.ts";
import type { ScriptCode } from "../code/code.ts";
import type { Scenario, WrittenScenario } from "./scenario.ts";
import type { StreamKind } from "./request.ts";
import { fillTemplate, namesIn, namesInText } from "./template.ts";
import { type SocketUse, socketUse } from "./websocket.ts";
import {
  countOfValueVariants,
  drawValues,
  ownValues,
  placeholderNames,
  type TableUse,
  type ValueSpecs,
} from "./values.ts";

export interface ScriptRequest {
  readonly kind: "request";
  /** Index in `stepNames` of the step to which the request's figures belong; 0 if there is only one step. */
  readonly step: number;
  readonly wire: WireRequest;
  /** The expectation. Requests that differ only in their values share one object. */
  readonly expect: Expectation;
  readonly captures: readonly CaptureSpec[];
  /** How the response is read as a stream of messages; absent if it is read as a whole. */
  readonly stream?: StreamedResponse;
  /** The gRPC call that the request makes; absent if it makes none. */
  readonly call?: ScriptCall;
  /** The WebSocket that the request opens to send the body of `wire`; absent if it opens none. */
  readonly socket?: SocketUse;
  /** Set if the request may be in flight together with neighbouring requests that also have `beside`. */
  readonly beside?: true;
  /** Names of the functions of the experiment's script that the request calls; absent if it calls none. */
  readonly hooks?: RequestHooks;
  /** The most redirects to follow, and the step of the requests that they lead to; null if none are followed. */
  readonly follow: { readonly most: number; readonly step: number } | null;
}

export interface StreamedResponse {
  readonly kind: StreamKind | "grpc";
  readonly until?: string;
  readonly holdMs?: number;
  /**
   * Delay in milliseconds before the stream is requested again, unless the server sets another; absent if it is not
   * requested again.
   */
  readonly reconnectMs?: number;
  readonly token?: BodySource;
}

/** A gRPC call. Everything that depends on its types is put into `ready` before the load. */
export interface ScriptCall {
  /** The method, written as `package.Service/Method`. */
  readonly method: string;
  /** The coding that compresses messages; absent if they are not compressed. */
  readonly compress?: "gzip";
  /** Types of the call's `.proto` file; absent if the server gives them by reflection. */
  readonly proto?: ProtoTypes;
  /** What depends on the call's types; absent until they are known. */
  readonly ready?: ReadyCall;
}

/** The properties of a call that depend on its types. */
export interface ReadyCall {
  /** Whether the response is a single message. */
  readonly isUnary: boolean;
  /** Deadline in milliseconds that the server is told; absent if there is none. */
  readonly deadlineMs?: number;
  /** Type of the request messages that still have values to fill in; absent if the messages are bytes already. */
  readonly input?: RootType;
  /** Type of the response's messages; absent if no check or capture reads them. */
  readonly output?: RootType;
}

export interface RequestHooks {
  /** Name of the function that is called before the request is sent; null if there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface UserHooks {
  /** Name of the function that is called when a virtual user starts; null if there is none. */
  readonly start: string | null;
  readonly end: string | null;
}

export interface ThinkStep {
  readonly kind: "think";
  /** The think time in milliseconds or, if it varies, its mean. */
  readonly thinkMs: number;
  /** Distribution of the think time; absent if it does not vary. */
  readonly as?: ThinkShape;
}

export type Script = ScriptOf<ScriptRequest>;

/** A script whose requests have the type `Request`. */
export type ScriptOf<Request> =
  & {
    /** Names of the steps with figures of their own, each once; empty if there is only one step. */
    readonly stepNames: readonly string[];
    /** Code that contains the functions that the script calls; absent if it calls none. */
    readonly code?: ScriptCode;
    /** Names of the functions that are called for each virtual user; absent if there are none. */
    readonly user?: UserHooks;
    /** Shared memory through which new data for the code arrives during the load; absent if the data stays the same. */
    readonly fresh?: SharedArrayBuffer;
    /** Origins to which redirects may lead, besides the target's own; absent if there are none. */
    readonly elsewhere?: readonly string[];
    /** The values that each virtual user has for itself alone, indexed by user; absent if there are none. */
    readonly own?: readonly Readonly<Record<string, string>>[];
    /**
     * The tables whose rows are sent. `rowOf` has an element for each element of `users` or, if the script has no
     * users, of `requests`.
     */
    readonly tables?: readonly TableUse[];
  }
  & (
    /** Single requests. `sequence` holds indexes into `requests`, and is repeated endlessly. */
    | {
      readonly kind: "requests";
      readonly requests: readonly Request[];
      readonly sequence: readonly number[] | Uint32Array;
      /**
       * Due time of each request of a replay, in microseconds since the start; absent if the load decides when requests
       * are due.
       */
      readonly dueUs?: Float64Array<SharedArrayBuffer>;
    }
    /**
     * A user journey. `users` holds the values of virtual users 0, 1, 2 …, and is repeated endlessly. Captured values
     * are filled in during the journey.
     */
    | {
      readonly kind: "flow";
      readonly steps: readonly (Request | ThinkStep)[];
      readonly users: readonly Readonly<Record<string, string>>[];
      /** The most requests that a user may have in flight; absent for one. */
      readonly lanes?: number;
      /** The cookies that virtual users have from the start; null if they keep no cookies at all. */
      readonly cookies: Readonly<Record<string, string>> | null;
    }
  );

export function scriptOf(scenario: Scenario, seed: number): Script {
  if ("replay" in scenario) return replayScript(scenario, scenario.replay.replay);
  const { user } = scenario;
  const script = writtenScript(scenario, seed);
  if (user === undefined) return script;
  return { ...script, user: { start: user.start ?? null, end: user.end ?? null } };
}

function writtenScript(scenario: WrittenScenario, seed: number): Script {
  const { values } = scenario;
  const draw = drawBy(seed);
  if ("flow" in scenario) return flowScript(scenario.flow, scenario, draw);
  if ("page" in scenario) return pageScript(scenario, draw);
  // Hooks can read values, which only users of a flow have, so a single request with hooks becomes
  // a flow.
  if (!("mix" in scenario) && (hooksOf(scenario).hooks ?? scenario.user) !== undefined) {
    return flowScript([{ ...scenario, capture: {} }], { ...scenario, cookies: null }, draw);
  }
  const mix = "mix" in scenario ? scenario.mix : [{ ...scenario, weight: 1 }];
  const wires = mix.map(wireRequest);
  checkSize(wires, values);
  const { placeOf, ...common } = namedSteps(mix, followOf(scenario.follow));
  const variants = mix.map((request) => variantsOf(request, { ...placeOf(request), values, draw }));
  const weights = mix.map(({ weight }) => weight);
  const own = ownValues(values, wires.flatMap(namesIn));
  return {
    kind: "requests",
    ...common,
    requests: variants.flatMap(({ requests }) => requests),
    sequence: sequenceOf(variants.map(({ requests }) => requests.length), weights, draw),
    ...own && { own },
    ...tablesOf(variants),
  };
}

/**
 * Throws if the requests would be too large. Their sizes are added up before they are built, because a body of 16 MB
 * with a random number in it makes 1,000 variants.
 */
function checkSize(requests: readonly WireRequest[], values: ValueSpecs): void {
  const sizes = requests.map((wire) => {
    const variants = countOfValueVariants(values, namesIn(wire));
    const head = [wire.path, ...Object.values(wire.headers)].join("");
    return { variants, chars: variants * (head.length + bodyLength(wire.body)) };
  });
  const sumOf = (of: (size: (typeof sizes)[number]) => number): number =>
    sizes.reduce((sum, size) => sum + of(size), 0);
  checkLimit("variants", sumOf(({ variants }) => variants), "values", "write every request");
  checkLimit("written", sumOf(({ chars }) => chars), "values", "write every request");
}

/** The most steps that have figures of their own. All further requests share one more step. */
const MOST_STEPS = LIMITS.stepNames.most - 1;
const OTHERS = "other requests";

/** The step of a request, and the step of the requests that it is redirected to. */
type StepPlace = Pick<ScriptRequest, "step" | "follow">;

/** Makes one step for all requests with the same name, and another for the requests that their redirects lead to. */
function namedSteps(
  requests: readonly RequestFields[],
  { most, elsewhere }: Follow,
): Pick<Script, "stepNames" | "elsewhere"> & {
  readonly placeOf: (request: RequestFields) => StepPlace;
} {
  const written = [...new Set(requests.map(stepNameOf))];
  const all = most === 0 ? written : written.flatMap((name) => [name, redirectedName(name)]);
  const names = all.length > MOST_STEPS ? [...all.slice(0, MOST_STEPS), OTHERS] : all;
  return {
    stepNames: names.length > 1 ? names : [],
    ...elsewhere.length > 0 && { elsewhere },
    placeOf: (request) => {
      const at = (name: string): number => {
        const place = names.indexOf(name);
        return place < 0 ? names.length - 1 : place;
      };
      const name = stepNameOf(request);
      return {
        step: at(name),
        follow: most === 0 ? null : { most, step: at(redirectedName(name)) },
      };
    },
  };
}

interface VariantChoice extends StepPlace {
  readonly values: ValueSpecs;
  readonly draw: Draw;
}

interface RequestVariants {
  readonly requests: readonly ScriptRequest[];
  readonly tables: readonly TableUse[];
}

/**
 * The tables of all requests of a mix, each once. `rowOf` has an element for each variant of each request: the index of
 * its row, or -1 if the variant has no row of the table.
 */
function tablesOf(mix: readonly RequestVariants[]): Pick<Script, "tables"> {
  const keyOf = ({ file, values }: TableUse): string => [file, ...values].join("\n");
  const tables = new Map(mix.flatMap(({ tables }) => tables.map((one) => [keyOf(one), one])));
  if (tables.size === 0) return {};
  return {
    tables: [...tables].map(([key, table]) => ({
      ...table,
      rowOf: table.rowOf &&
        mix.flatMap(({ requests, tables }) =>
          tables.find((one) => keyOf(one) === key)?.rowOf ?? requests.map(() => -1)
        ),
    })),
  };
}

/** The request, once for each variant of its values. */
function variantsOf(
  request: RequestFields,
  { values, draw, ...place }: VariantChoice,
): RequestVariants {
  const { expect } = request;
  const common = { kind: "request" as const, ...place, expect, captures: [] };
  const step = {
    ...common,
    ...streamOf(request),
    ...callOf(request),
    ...socketOf(request),
    ...hooksOf(request),
  };
  const wire = wireRequest(request);
  const { variants, tables } = drawValues(values, namesIn(wire), draw);
  return { requests: variants.map((one) => ({ ...step, wire: fillTemplate(wire, one) })), tables };
}

/** The fewest and the most picks in the sequence of a mix. The minimum applies only to a mix of several requests. */
const PICKS = { least: 1_000, most: 1_000_000 };

/**
 * Indexes into the variants of all requests, listed request by request. Each request is picked exactly in proportion to
 * its weight, in an order that the seed decides. It is picked often enough for all its variants, unless that exceeds
 * `PICKS.most`.
 * @param counts Number of variants of each request.
 */
function sequenceOf(counts: readonly number[], weights: readonly number[], draw: Draw): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const wanted = counts.map((count, at) => Math.ceil(count / weights[at]));
  if (counts.length > 1) wanted.push(Math.ceil(PICKS.least / total));
  const rounds = Math.min(Math.max(...wanted), Math.max(1, Math.floor(PICKS.most / total)));
  const picks = weights.flatMap((weight, at) => Array<number>(weight * rounds).fill(at));
  const starts = counts.map((_, at) => counts.slice(0, at).reduce((sum, count) => sum + count, 0));
  const used = counts.map(() => 0);
  return shuffled(picks, draw).map((at) => starts[at] + used[at]++ % counts[at]);
}

/** The script of a page. The page comes first and, once it has arrived, its subresources, up to `lanes` at a time. */
function pageScript(page: Extract<Scenario, { page: string }>, draw: Draw): Script {
  const script = flowScript(stepsOfPage(page), page, draw);
  const lanes = Math.min(page.parallel ?? 1, page.with.length);
  if (script.kind !== "flow" || lanes < 2) return script;
  const steps = script.steps.map((step, at) =>
    at === 0 || step.kind !== "request" ? step : { ...step, beside: true as const }
  );
  return { ...script, steps, lanes };
}

function flowScript(
  steps: readonly FlowStepSpec[],
  { values, cookies, follow, user }: Pick<WrittenScenario, "values" | "follow" | "user"> & {
    readonly cookies: Cookies;
  },
  draw: Draw,
): Script {
  const { placeOf, ...common } = namedSteps(steps.filter(isRequest), followOf(follow));
  const ready = steps.map((step) =>
    isRequest(step) ? requestStep(step, placeOf(step)) : thinkStep(step)
  );
  const requests = ready.filter((step) => step.kind === "request");
  // A hook may read any value, so all are drawn.
  const isHooked = user !== undefined || requests.some(({ hooks }) => hooks !== undefined);
  const names = isHooked ? placeholderNames(values) : requests.flatMap(({ wire }) => namesIn(wire));
  const { variants, tables } = drawValues(values, names, draw);
  const users = variants.map((one) => Object.fromEntries(one));
  const own = ownValues(values, names);
  return {
    kind: "flow",
    ...common,
    ...{ steps: ready, users, cookies },
    ...own && { own },
    ...tables.length > 0 && { tables },
  };
}

function requestStep(spec: RequestStepSpec, place: StepPlace): ScriptRequest {
  const captures = Object.entries(spec.capture).map(([as, from]) => ({ as, from }));
  const { expect } = spec;
  return {
    kind: "request",
    ...place,
    wire: wireRequest(spec),
    expect,
    captures,
    ...streamOf(spec),
    ...callOf(spec),
    ...socketOf(spec),
    ...hooksOf(spec),
  };
}

function streamOf(
  { stream, until, hold, reconnect, token }: RequestFields,
): Pick<ScriptRequest, "stream"> {
  if (stream === undefined && (hold ?? token) === undefined) return {};
  return {
    stream: {
      kind: stream ?? "grpc",
      ...until !== undefined && { until },
      ...hold !== undefined && { holdMs: hold },
      ...reconnect !== undefined && { reconnectMs: reconnect },
      ...token !== undefined && { token },
    },
  };
}

function callOf({ grpc, compress, proto }: RequestFields): Pick<ScriptRequest, "call"> {
  if (grpc === undefined) return {};
  return { call: { method: grpc, ...compress && { compress }, ...proto && { proto } } };
}

function socketOf(request: RequestFields): Pick<ScriptRequest, "socket"> {
  return request.websocket === undefined ? {} : { socket: socketUse(request, request.hold) };
}

function hooksOf({ before, after }: RequestFields): Pick<ScriptRequest, "hooks"> {
  if (before === undefined && after === undefined) return {};
  return { hooks: { before: before ?? null, after: after ?? null } };
}

/** Whether the load calls functions of the experiment's script. */
export function hasHooks(script: Script): boolean {
  return script.user !== undefined || requestsOf(script).some(({ hooks }) => hooks !== undefined);
}

/** The requests of a script of any kind. */
export function requestsOf(script: Script): readonly ScriptRequest[] {
  return script.kind === "requests"
    ? script.requests
    : script.steps.filter((step) => step.kind === "request");
}

/** The same script, with `form` applied to each request. */
export function withRequests<From extends { readonly kind: "request" }, To>(
  script: ScriptOf<From>,
  form: (request: From) => To,
): ScriptOf<To> {
  if (script.kind === "requests") return { ...script, requests: script.requests.map(form) };
  const steps = script.steps.map((step) => step.kind === "think" ? step : form(step));
  return { ...script, steps };
}

function thinkStep({ think }: ThinkSpec): ThinkStep {
  if (typeof think === "number") return { kind: "think", thinkMs: think };
  return { kind: "think", thinkMs: think.mean, as: think.as };
}

/** A script of the requests of a log, which all have these header fields and this expectation. */
export function replayScript(
  { headers, expect }: {
    readonly headers: Readonly<Record<string, string>>;
    readonly expect: Expectation;
  },
  { requests, sequence, dueUs }: Replay,
): Script {
  const common = { kind: "request" as const, step: 0, follow: null, captures: [], expect };
  const scripted = requests.map((request) => ({
    ...common,
    wire: { ...request, headers, body: null },
  }));
  return { kind: "requests", stepNames: [], requests: scripted, sequence, dueUs };
}

/** Whether the request's expectation or a capture reads the body of the response. */
export function readsBody({ expect, captures }: ScriptRequest): boolean {
  const { body, contains, json, matches } = expect;
  return [body, contains, json, matches].some((rule) => rule !== undefined) ||
    captures.some(({ from }) => from.kind === "json" || from.kind === "pattern");
}

/**
 * Whether the script sends the captured value `name` in a header field that authenticates the sender, such as the token
 * of a login.
 */
export function authenticatesLater(name: string, script: Script): boolean {
  const steps = script.kind === "flow" ? script.steps : [];
  return steps.some((step) =>
    step.kind === "request" &&
    Object.entries(step.wire.headers).some(([field, text]) =>
      isSecretField(field) && namesInText(text).includes(name)
    )
  );
}
