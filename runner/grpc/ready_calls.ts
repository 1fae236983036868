/**
 * Prepares gRPC calls before a load or a preflight: finds their types in a `.proto` file or by the server's reflection,
 * and encodes those messages that contain no placeholders to be filled in later.
 */
import { messageOf, TargetError, UserError } from "../../base/errors.ts";
import { encodedCall } from "../../base/grpc/encode_call.ts";
import { messageCountProblem, type MethodType } from "../../base/grpc/message_types.ts";
import type { CallServer } from "../../base/grpc/one_call.ts";
import { namesIn } from "../../scenarios/request/template.ts";
import {
  readsBody,
  requestsOf,
  type Script,
  type ScriptCall,
  type ScriptRequest,
  withRequests,
} from "../../scenarios/request/script.ts";

/** Reads the types of methods from the server. */
export type Reflect = (methods: readonly string[]) => Promise<ReadonlyMap<string, MethodType>>;

interface CallContext {
  /** Time-out of each call, and the deadline of calls whose response is a single message. */
  readonly timeoutMs: number;
  readonly reflect: Reflect;
}

/** The types that servers have reported, for each script that has gRPC calls. */
const reflected = new WeakMap<Script, ReadonlyMap<string, MethodType>>();

/**
 * The script with its gRPC calls made ready; the same script if they already are. Throws a UserError or a TargetError
 * if a call can't be made ready.
 */
export async function readyCalls(script: Script, context: CallContext): Promise<Script> {
  const calls = requestsOf(script).flatMap(({ call }) => call ?? []);
  if (calls.every(({ ready }) => ready !== undefined)) return script;
  const unknown = [
    ...new Set(calls.filter(({ proto }) => proto === undefined).map(({ method }) => method)),
  ];
  const types = unknown.length === 0
    ? new Map<string, MethodType>()
    : reflected.get(script) ?? await context.reflect(unknown);
  if (unknown.length > 0) reflected.set(script, types);
  // A script of single requests without code or unique rows has all its values by now, so anything
  // in it that still looks like a placeholder is plain text.
  const fillsLater = script.kind === "flow" || script.code !== undefined ||
    script.own !== undefined;
  return withRequests(
    script,
    (request) =>
      request.call === undefined
        ? request
        : readyCall(request, request.call, types, { ...context, fillsLater }),
  );
}

function readyCall(
  request: ScriptRequest,
  { proto, ...call }: ScriptCall,
  types: ReadonlyMap<string, MethodType>,
  { timeoutMs, fillsLater }: CallContext & { readonly fillsLater: boolean },
): ScriptRequest {
  const type = types.get(call.method) ?? proto?.method(call.method);
  if (type === undefined) {
    throw new TargetError(
      `The server's reflection does not describe ${call.method}: name its .proto file (proto, or --proto)`,
    );
  }
  const { input, output, serverStreams } = type;
  const isOpen = fillsLater && namesIn({ ...request.wire, path: "", headers: {} }).length > 0;
  const wire = isOpen ? request.wire : encodedBefore(request, type);
  const isRead = readsBody(request) || request.stream?.token !== undefined;
  checkKinds(request, type);
  const headers = { ...deadlineOf(request, serverStreams, timeoutMs), ...wire.headers };
  const deadlineMs = deadlineMsIn(headers);
  const ready = {
    isUnary: !serverStreams,
    ...deadlineMs !== null && { deadlineMs },
    ...isOpen && { input },
    ...isRead && { output },
  };
  return { ...request, wire: { ...wire, headers }, call: { ...call, ready } };
}

const DEADLINE = "grpc-timeout";
/** Milliseconds of each unit of grpc-timeout, from hours to nanoseconds. */
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ...[["H", 3_600_000], ["M", 60_000], ["S", 1_000]] as const,
  ...[["m", 1], ["u", 1e-3], ["n", 1e-6]] as const,
]);

/**
 * The grpc-timeout header with the deadline; empty if the request has its own, or if the response is a stream, whose
 * time-out counts from its last message.
 */
function deadlineOf(
  { wire }: ScriptRequest,
  serverStreams: boolean,
  timeoutMs: number,
): Record<string, string> {
  if (serverStreams || deadlineTextIn(wire.headers) !== undefined) return {};
  // gRPC allows at most eight digits, so a longer time is sent in seconds.
  const isLong = timeoutMs >= 1e8;
  return { [DEADLINE]: isLong ? `${Math.ceil(timeoutMs / 1_000)}S` : `${Math.ceil(timeoutMs)}m` };
}

function deadlineTextIn(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === DEADLINE)?.[1];
}

/** The deadline in the headers, ms; null if there is none, or if its value is not known yet. */
function deadlineMsIn(headers: Readonly<Record<string, string>>): number | null {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(deadlineTextIn(headers) ?? "") ?? [];
  const unitMs = UNITS_MS.get(unit);
  return unitMs === undefined ? null : Number(digits) * unitMs;
}

function encodedBefore(
  { wire, call }: ScriptRequest,
  { input }: MethodType,
): ScriptRequest["wire"] {
  try {
    return encodedCall(wire, input);
  } catch (error) {
    throw new UserError([{ place: call?.method ?? "grpc", message: messageOf(error) }]);
  }
}

/**
 * Throws a UserError if the request does not fit its method, for example if it expects a stream but the method returns
 * one message.
 */
function checkKinds(
  { wire, stream, captures, call }: ScriptRequest,
  type: MethodType,
): void {
  const refuse = (message: string): never => {
    throw new UserError([{ place: call?.method ?? "grpc", message }]);
  };
  const sent = Array.isArray(wire.body) ? wire.body.length : 0;
  const problem = messageCountProblem(type, sent);
  if (problem !== null) refuse(problem);
  if (type.serverStreams && captures.length > 0) {
    refuse("Cannot capture a value from a stream: its messages are not kept");
  }
  if (!type.serverStreams && stream !== undefined) {
    refuse("Cannot use hold or token with a method whose response is one message: leave them out");
  }
}

/** Returns a function that reads types from this server by reflection. */
export function reflectOn(server: CallServer, timeoutMs: number, signal: AbortSignal): Reflect {
  return async (methods) => {
    const { reflectedMethods } = await import("./reflection.ts");
    return await reflectedMethods(methods, { ...server, timeoutMs, signal });
  };
}
