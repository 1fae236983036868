/** Waits from the start of a target's process until the target can be measured. */
import { messageOf } from "../../base/errors.ts";
import { originAt } from "../../base/net/listen.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import type { Child } from "./child.ts";
import type { LaunchContext, RunningTarget } from "./launcher.ts";
import { awaitStartUp } from "./start_up.ts";
import { endpointOf } from "../../base/net/endpoint.ts";
import { encodeHead, type OriginRequest } from "../gateways/origin/request.ts";
import { OriginConnection } from "../gateways/origin/connection.ts";

/** The value of `path` for a target whose ready check is a gRPC call. */
const GRPC = "grpc";

/** How long a request of the ready check may take before another is sent. */
const ATTEMPT_MS = 5_000;

/** How long a start may take before the user is told what may be wrong; most working programs have started by then. */
const NOTE_AFTER_MS = 5_000;

interface Bringing {
  readonly child: Child;
  /** The target's runtime with its version, as in `RunningTarget`. */
  readonly runtime: string | null;
  /** A path that responds with a status below 500 once the target is ready; `grpc` to make a gRPC call instead. */
  readonly path: string;
  /** The port on which the target listens; null if the process announces its origin itself. */
  readonly port: number | null;
  /**
   * Why the target can't be reached, and how to fix that; null if unknown. Called while the target can't be reached.
   */
  readonly advice?: () => string | null;
}

/**
 * Waits until the started process is ready. Throws a TargetError if it fails, or the signal's reason if the user
 * interrupts; in both cases the process is stopped.
 */
export async function bringUp(
  { child, runtime, path, port, advice = () => null }: Bringing,
  { name, host, readyTimeoutMs, signal, onNote }: LaunchContext,
): Promise<RunningTarget> {
  const beganMs = performance.now();
  let isReached = false;
  let isNoted = false;
  const { result, startUpMs } = await awaitStartUp({
    child,
    what: `target ${name}`,
    request: path === GRPC ? "a gRPC call" : `GET ${path}`,
    limitMs: readyTimeoutMs,
    signal,
    advice: () => isReached ? null : advice(),
    async attempt(announcement: string): Promise<string> {
      const origin = originAt(host, port ?? Number(new URL(announcement).port));
      isReached = false;
      if (!isNoted && performance.now() - beganMs > NOTE_AFTER_MS) {
        isNoted = true;
        const known = advice();
        if (known !== null) onNote(`Target ${name} can't be reached yet: ${known}`);
      }
      const failure = await inTime(async (signal) =>
        path === GRPC
          ? (await import("./grpc_ready.ts")).callFailure(origin, signal)
          : failureOf({ origin, path }, signal)
      );
      isReached = true;
      if (failure !== null) throw new Error(`it responds with ${failure}`);
      return origin;
    },
  });
  const { pid, supervised, exited, stop, output } = child;
  const lastLines = (): string[] => output.lastLines();
  return {
    origin: result,
    startUpMs,
    runtime,
    readyPath: path === GRPC ? null : path,
    pid,
    supervised,
    exited,
    stop,
    lastLines,
  };
}

/** Aborts an attempt that gets no response within ATTEMPT_MS. */
async function inTime(
  attempt: (signal: AbortSignal) => Promise<string | null>,
): Promise<string | null> {
  const late = new AbortController();
  const tooLate = new Error(`no response in ${ATTEMPT_MS / 1_000} s`);
  const timer = setTimeout(() => late.abort(tooLate), ATTEMPT_MS);
  try {
    return await attempt(late.signal);
  } catch (error) {
    late.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends GET `origin` + `path`. Returns what is wrong with the response, or null if its status is below 500; throws an
 * error that says why there is no response. Uses its own connection, because `fetch` would keep the connection, follow
 * redirects and use the user's proxy, and `node:http` in Deno 2.6 gets no response over IPv6.
 */
async function failureOf(
  { origin, path }: { readonly origin: string; readonly path: string },
  signal: AbortSignal,
): Promise<string | null> {
  const connection = await dial(origin, signal);
  signal.addEventListener("abort", () => connection.close());
  const request: OriginRequest = {
    method: "GET",
    path,
    fields: [["connection", "close"]],
    body: null,
  };
  try {
    connection.begin(request.method);
    await connection.write(encodeHead(request, new URL(origin).host));
    const { status, fields } = await connection.readHead();
    if (status < 500) return null;
    const body = isText(new Map(fields)) ? await beginningOf(connection) : "";
    return `status ${status}${body === "" ? "" : ` and body ${excerptOf(body)}`}`;
  } finally {
    connection.close();
  }
}

/** Whether the body is readable text, in which most servers say why they are not ready. */
function isText(fields: ReadonlyMap<string, string>): boolean {
  const type = fields.get("content-type") ?? "text/plain";
  return /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/i.test(type) &&
    /^(?:identity)?$/i.test(fields.get("content-encoding") ?? "");
}

const EXCERPT_CHARS = 200;
/**
 * How many bytes of a body are read. It is more than is shown, because a secret can be recognised only if it was read
 * completely.
 */
const READ_BYTES = 16_384;
/** How long the next attempt may be delayed by a slow body. */
const BODY_MS = 250;

/** Reads the first part of a body, even if the body is cut off. */
async function beginningOf(connection: OriginConnection): Promise<string> {
  const decoder = new TextDecoder();
  const timer = setTimeout(() => connection.close(), BODY_MS);
  let text = "";
  try {
    for (let read = 0; read < READ_BYTES;) {
      const part = await connection.readBody();
      if (part === null) break;
      read += part.length;
      text += decoder.decode(part, { stream: true });
    }
  } catch {
    // If the body is cut off, return the part that has arrived.
  } finally {
    clearTimeout(timer);
  }
  return text.trim();
}

function excerptOf(text: string): string {
  const shown = withoutSecrets(text);
  return JSON.stringify(
    shown.length <= EXCERPT_CHARS ? shown : `${shown.slice(0, EXCERPT_CHARS)}…`,
  );
}

async function dial(origin: string, signal: AbortSignal): Promise<OriginConnection> {
  try {
    return await OriginConnection.dial(endpointOf(origin), signal);
  } catch (error) {
    throw new Error(`${origin} can't be reached: ${messageOf(error)}`);
  }
}
