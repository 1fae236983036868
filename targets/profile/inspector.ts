/**
 * The inspector of a V8 runtime (Node, Deno): a WebSocket on a loopback port of the process, found among the ports on
 * which the process listens. The protocol: https://chromedevtools.github.io/devtools-protocol/v8/.
 */
import * as z from "zod";
import { LOOPBACK } from "../../base/net/listen.ts";
import { loopbackPortsOf } from "../../base/system/listeners.ts";
import { settlesWithin } from "../launch/settles.ts";

/** An inspector responds within milliseconds, one whose process is busy with a long task when that is over. */
const LIST_MS = 2_000;
const REPLY_MS = 10_000;

const listed = z.array(z.looseObject({ webSocketDebuggerUrl: z.string() })).min(1);
const reply = z.looseObject({
  id: z.number().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

/** WebSocket addresses of the process's inspector. Throws an Error when it has none. */
export async function findInspector(pid: number, signal: AbortSignal): Promise<string> {
  const ports = loopbackPortsOf(pid);
  for (const port of ports) {
    const address = await inspectorAt(port, signal);
    if (address !== null) return address;
  }
  throw new Error("it has no inspector open");
}

/** Null where another server listens, or one that does not respond. */
async function inspectorAt(port: number, signal: AbortSignal): Promise<string | null> {
  try {
    const response = await fetch(`http://${LOOPBACK}:${port}/json/list`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]),
      redirect: "error",
    });
    const [first] = listed.parse(await response.json());
    // Only the path is taken from it: the address is that of the process.
    return `ws://${LOOPBACK}:${port}${new URL(first.webSocketDebuggerUrl).pathname}`;
  } catch {
    return null;
  }
}

/** A conversation with an inspector. */
export class Inspector {
  #lastId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lost: Error | null = null;

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = () => this.#lose("its inspector has closed the connection");
    socket.onerror = () => this.#lose("its inspector can't be reached");
  }

  /** Throws an Error when it does not open. */
  static async open(address: string, signal: AbortSignal): Promise<Inspector> {
    const socket = new WebSocket(address);
    const inspector = new Inspector(socket);
    const opened = Promise.withResolvers<void>();
    socket.onopen = () => opened.resolve();
    signal.addEventListener("abort", () => socket.close());
    const isOpen = await settlesWithin(
      Promise.race([opened.promise, inspector.#ended.promise]),
      LIST_MS,
    );
    if (isOpen && inspector.#lost === null) return inspector;
    inspector.close();
    throw inspector.#lost ?? new Error("its inspector does not respond");
  }

  readonly #ended = Promise.withResolvers<void>();

  /** Throws an Error when it refuses, or gives no response in 10 s. */
  async call(method: string, params: object = {}): Promise<unknown> {
    if (this.#lost !== null) throw this.#lost;
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.socket.send(JSON.stringify({ id, method, params }));
    const timer = setTimeout(
      () => waiting.reject(new Error(`its inspector gives no response to ${method}`)),
      REPLY_MS,
    );
    return await waiting.promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  close(): void {
    if (this.socket.readyState !== WebSocket.CLOSED) this.socket.close();
  }

  #take(data: unknown): void {
    const read = reply.safeParse(jsonOrNull(data));
    if (!read.success || read.data.id === undefined) return; // an event
    const { id, result, error } = read.data;
    const waiting = this.#waiting.get(id);
    if (error !== undefined) waiting?.reject(new Error(`its inspector refuses: ${error.message}`));
    else waiting?.resolve(result);
  }

  #lose(why: string): void {
    this.#lost ??= new Error(why);
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#ended.resolve();
  }
}

function jsonOrNull(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}
