/**
 * A scenario made ready to be sent: every choice drawn by the seed, every value that is known before the load
 * in its place. Pure.
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
  /** Index of its step in the script. */
  readonly step: number;
  readonly wire: WireRequest;
  /** One object for all requests that differ in their values alone. */
  readonly expect: Expectation;
  readonly captures: readonly CaptureSpec[];
  /** Its response is a stream of messages; absent: it is read as a whole. */
  readonly stream?: StreamedResponse;
  /** The call of gRPC that the request makes. */
  readonly call?: ScriptCall;
  /** It opens a WebSocket, on which the body of `wire` is what is sent; absent: it does not. */
  readonly socket?: SocketUse;
  /** It may be in flight beside its neighbours of which that is said, too. */
  readonly beside?: true;
  /** Functions of the experiment's script by their names; absent: none. */
  readonly hooks?: RequestHooks;
  /** How many redirects it follows, and the step of those requests; null: none. */
  readonly follow: { readonly most: number; readonly step: number } | null;
}

export interface StreamedResponse {
  readonly kind: StreamKind | "grpc";
  readonly until?: string;
  readonly holdMs?: number;
  /** It is requested again after so long, unless the server names another time; absent: it is not. */
  readonly reconnectMs?: number;
  readonly token?: BodySource;
}

/** A call of gRPC: before a load it is ready, which gives it all that its types decide. */
export interface ScriptCall {
  /** `package.Service/Method`. */
  readonly method: string;
  /** Its messages are sent compressed. */
  readonly compress?: "gzip";
  /** Types of its `.proto` file; absent: the server says them. */
  readonly proto?: ProtoTypes;
  /** The parts that its types decide; absent until they are ready. */
  readonly ready?: ReadyCall;
}

/** The properties of a call that its types decide. */
export interface ReadyCall {
  /** The response is one message. */
  readonly isUnary: boolean;
  /** How long the server has for it; absent: it is told nothing. */
  readonly deadlineMs?: number;
  /** Type of the messages to send whose values are still to be filled in; absent: they are bytes. */
  readonly input?: RootType;
  /** Type of the response's messages, if something looks into them. */
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
  /** The mean, where it varies. */
  readonly thinkMs: number;
  /** How it varies; absent: it does not. */
  readonly as?: ThinkShape;
}

export type Script = ScriptOf<ScriptRequest>;

/** A script whose requests may be in another form. */
export type ScriptOf<Request> =
  & {
    /** Names of the steps with figures of their own, each once; none if there is only one. */
    readonly stepNames: readonly string[];
    /** What evaluates the functions of its requests; absent: they have none. */
    readonly code?: ScriptCode;
    /** Functions of its code for each virtual user by their names; absent: none. */
    readonly user?: UserHooks;
    /** Where data of the code is renewed during the load; absent: it is not. */
    readonly fresh?: SharedArrayBuffer;
    /** Origins besides the target's to which redirects may lead; absent: none. */
    readonly elsewhere?: readonly string[];
    /** Values of each virtual user, by its place, which no other user has; absent: there are none. */
    readonly own?: readonly Readonly<Record<string, string>>[];
    /** Tables whose rows it sends, by the variant of a user's values or by the request; absent: none. */
    readonly tables?: readonly TableUse[];
  }
  & (
    /** Single requests: `sequence` holds indexes into `requests`, gone through again and again. */
    | {
      readonly kind: "requests";
      readonly requests: readonly Request[];
      readonly sequence: readonly number[] | Uint32Array;
      /** When each is due, microseconds since the start: a replay's. Absent: the load says when. */
      readonly dueUs?: Float64Array<SharedArrayBuffer>;
    }
    /**
     * A user journey: `users` are the values of virtual user 0, 1, 2 …, round and round; captured values are
     * filled in during the journey.
     */
    | {
      readonly kind: "flow";
      readonly steps: readonly (Request | ThinkStep)[];
      readonly users: readonly Readonly<Record<string, string>>[];
      /** Requests that a user may have in flight; absent: one. */
      readonly lanes?: number;
      /** What virtual users have in their jars from the start; null: they keep no cookies. */
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
  // Its hooks belong to users, who have values of their own.
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

/** Counted before they are built: a body of 16 MB with a random number in it is sent in 1,000 variants. */
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

/** The most steps that have figures of their own; all others together are one more. */
const MOST_STEPS = LIMITS.stepNames.most - 1;
const OTHERS = "other requests";

/** The step of a request, and the step of requests that it is redirected to. */
type StepPlace = Pick<ScriptRequest, "step" | "follow">;

/** Requests of one name are one step; those that redirects lead to are another. */
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

/** The rows of all requests of a mix: each table once, with the row of each variant of each request, -1 where that has none. */
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

/** The request with each variant of its values. */
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

/** The least number of picks where there are several requests to pick from, and the most. */
const PICKS = { least: 1_000, most: 1_000_000 };

/**
 * Indexes into all variants, one request's after the other's. Each request is picked exactly in
 * proportion to its weight, in an order that the seed decides, and often enough for all its variants.
 * @param counts Variants of each request.
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

/** The page, and once it is there, its subresources as many at a time as they may be. */
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
  // A hook may read any of them.
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

/** Whether its load calls functions of the experiment's script. */
export function hasHooks(script: Script): boolean {
  return script.user !== undefined || requestsOf(script).some(({ hooks }) => hooks !== undefined);
}

/** Requests of a script, of whatever kind. */
export function requestsOf(script: Script): readonly ScriptRequest[] {
  return script.kind === "requests"
    ? script.requests
    : script.steps.filter((step) => step.kind === "request");
}

/** The same script with each of its requests in another form. */
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

/** The requests of a log, each with these header fields and this expectation. */
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

/** Whether anything looks at the body of its response. */
export function readsBody({ expect, captures }: ScriptRequest): boolean {
  const { body, contains, json, matches } = expect;
  return [body, contains, json, matches].some((rule) => rule !== undefined) ||
    captures.some(({ from }) => from.kind === "json" || from.kind === "pattern");
}

/** Whether a captured value is sent to authenticate the sender, as that of a login is. */
export function authenticatesLater(name: string, script: Script): boolean {
  const steps = script.kind === "flow" ? script.steps : [];
  return steps.some((step) =>
    step.kind === "request" &&
    Object.entries(step.wire.headers).some(([field, text]) =>
      isSecretField(field) && namesInText(text).includes(name)
    )
  );
}
