/** Compiles and starts the server of `planting.c`, which sends messages by a plan and notes when it did so. */
import { join } from "node:path";
import { started } from "../../tests/conformance/programs.ts";
import type { Freezes, Planted } from "../../targets/apps/streams/schedule.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { compile, type Place, placed } from "../stage/programs.ts";

export interface Plan extends Planted {
  /** The number of messages per stream. A WebSocket has no such limit, because it echoes every message. */
  readonly messages: number;
  /** The time from a message on a WebSocket to its echo. */
  readonly delayMs: number;
  /** The number of messages after which a stream is cut, in place of the next message; null: it is not cut. */
  readonly diesAfter: number | null;
  /**
   * A freeze in which the server sends nothing. It begins `fromMs` after the server's first request. Null: it never
   * freezes.
   */
  readonly freeze: { readonly fromMs: number; readonly lengthMs: number } | null;
}

/** The messages sent on one stream or WebSocket. Times are in milliseconds since the server started. */
export interface Noted {
  readonly askedMs: number;
  readonly sentMs: readonly number[];
  /** The moment at which each echoed message arrived at the server; empty for a stream. */
  readonly cameMs: readonly number[];
  /** Whether the server cut this stream. */
  readonly died: boolean;
}

interface Planting extends AsyncDisposable {
  readonly port: number;
  /** Stops the server, and returns its notes. */
  readonly notes: () => Promise<readonly Noted[]>;
}

let built: Promise<string> | null = null;

/** Starts the server in a separate process. */
export async function startPlanting(plan: Plan, place: Place): Promise<Planting> {
  const [program, ...args] = placed(place, [await (built ??= build()), ...argumentsOf(plan)]);
  const server = await started(program, args);
  return {
    port: server.port,
    notes: async () => JSON.parse(await server.end()),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Returns the path of the compiled program, which is removed when this process ends. */
async function build(): Promise<string> {
  const folder = temporaryFolder();
  globalThis.addEventListener("unload", () => folder[Symbol.dispose]());
  const program = join(folder.path, "planting");
  await compile(new URL("planting.c", import.meta.url), program);
  return program;
}

function argumentsOf({ messages, firstMs, gapsMs, delayMs, diesAfter, freeze }: Plan): string[] {
  const { fromMs, lengthMs } = freeze ?? { fromMs: 0, lengthMs: 0 };
  return [messages, firstMs, gapsMs.join(","), delayMs, diesAfter ?? -1, fromMs, lengthMs]
    .map(String);
}

const FOREVER_MS = 1e12;

/** The freezes under the plan if the first request arrives at `firstMs`. */
export function freezesOf({ freeze }: Plan, firstMs: number): Freezes {
  if (freeze === null) return { startMs: 0, lengthMs: 0, everyMs: 0 };
  const { fromMs, lengthMs } = freeze;
  const startMs = firstMs + fromMs + lengthMs - FOREVER_MS; // a cycle ends with its freeze
  return { startMs, lengthMs, everyMs: FOREVER_MS };
}
