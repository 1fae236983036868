/** A process of ours that serves HTTP, from its start to a target that can be measured. */
import { messageOf } from "../../base/errors.ts";
import { originAt } from "../../base/net/listen.ts";
import type { Child } from "./child.ts";
import type { LaunchContext, RunningTarget } from "./launcher.ts";
import { awaitStartUp } from "./start_up.ts";
import { endpointOf } from "../../base/net/endpoint.ts";
import { encodeHead, type OriginRequest } from "../gateways/origin/request.ts";
import { OriginConnection } from "../gateways/origin/connection.ts";

/** A target that takes longer to respond gets another request. */
const ATTEMPT_MS = 5_000;

interface Bringing {
  readonly child: Child;
  /** As `RunningTarget` has it. */
  readonly runtime: string | null;
  /** Path that responds with a status under 500 when the target is ready. */
  readonly path: string;
  /** Where it listens; null: it announces its origin itself. */
  readonly port: number | null;
  /** Advice for the case that nothing responds there. */
  readonly advice?: string;
}

/** Throws a TargetError, or the signal's reason when the user interrupts; then no process is left. */
export async function bringUp(
  { child, runtime, path, port, advice }: Bringing,
  { name, host, readyTimeoutMs, signal }: LaunchContext,
): Promise<RunningTarget> {
  const { result, startUpMs } = await awaitStartUp({
    child,
    what: `target ${name}`,
    request: `GET ${path}`,
    limitMs: readyTimeoutMs,
    signal,
    async attempt(announcement: string): Promise<string> {
      const origin = originAt(host, port ?? Number(new URL(announcement).port));
      const status = await requestStatus({ origin, path }, ATTEMPT_MS).catch((error: unknown) => {
        throw new Error(messageOf(error) + (advice === undefined ? "" : `; ${advice}`));
      });
      if (status >= 500) throw new Error(`it responds with status ${status}`);
      return origin;
    },
  });
  const { pid, supervised, exited, stop, output } = child;
  const lastLines = (): string[] => output.lastLines();
  return {
    origin: result,
    startUpMs,
    runtime,
    readyPath: path,
    pid,
    supervised,
    exited,
    stop,
    lastLines,
  };
}

/**
 * The status of the response to GET `origin` + `path`, on a connection of its own: `fetch` would keep the
 * connection, follow redirects, and go through the user's proxy; `node:http` of Deno 2.6 gets no response by
 * IPv6. Throws an error that says why there is none.
 */
async function requestStatus(
  { origin, path }: { readonly origin: string; readonly path: string },
  limitMs: number,
): Promise<number> {
  const late = new AbortController();
  const tooLate = new Error(`no response in ${limitMs / 1_000} s`);
  const timer = setTimeout(() => late.abort(tooLate), limitMs);
  try {
    const connection = await dial(origin, late.signal);
    late.signal.addEventListener("abort", () => connection.close());
    const request: OriginRequest = {
      method: "GET",
      path,
      fields: [["connection", "close"]],
      body: null,
    };
    try {
      await connection.write(encodeHead(request, new URL(origin).host));
      return (await connection.readHead("GET")).status;
    } finally {
      connection.close();
    }
  } catch (error) {
    late.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function dial(origin: string, signal: AbortSignal): Promise<OriginConnection> {
  try {
    return await OriginConnection.dial(endpointOf(origin), signal);
  } catch (error) {
    throw new Error(`${origin} can't be reached: ${messageOf(error)}`);
  }
}
