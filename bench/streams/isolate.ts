/**
 * Measures how much memory each open stream or WebSocket takes in a load worker, beside a plain Deno program that holds
 * as many open. The memory is split into live objects and buffers, V8's room for young objects, and garbage.
 */
import { fileURLToPath } from "node:url";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import { atMost, within } from "../bar.ts";
import type { Row } from "../bench.ts";
import { placed, start } from "../stage/programs.ts";
import type { HeldTwice } from "./held.ts";

const KB = 1e3;

/** The programs that hold streams open: Plateau's load worker, and bare Deno for comparison. */
export const HOLDERS = ["holding", "bare"] as const;
export type Holder = typeof HOLDERS[number];

export interface Opened {
  readonly what: "streams" | "WebSockets";
  readonly driver: DriverName;
  readonly port: number;
  readonly count: number;
  /**
   * The time between two messages of a stream. Streams are opened at the total rate of messages, so that messages are
   * spread evenly.
   */
  readonly everyMs: number;
  readonly seconds: number;
}

/**
 * Runs a program that holds streams or WebSockets open, and returns the memory that the program took shortly before its
 * end, before and after a garbage collection.
 */
export async function heldBy(holder: Holder, opened: Opened): Promise<HeldTwice> {
  const program = fileURLToPath(import.meta.resolve(`./${holder}.ts`));
  const command = [Deno.execPath(), "run", "-A", program, JSON.stringify(opened)];
  return JSON.parse(await start(placed("rest", command)).output);
}

/** The memory of an isolate with few and with many streams, or WebSockets, open. */
export interface FewAndMany {
  readonly few: HeldTwice;
  readonly many: HeldTwice;
  readonly more: number;
}

const OBJECTS = "objects and buffers";
const RESIDENT = "resident memory of the process, after a collection";
const PARTS = {
  [OBJECTS]: ({ after }) => after.heap + after.buffers,
  "V8's room for the youngest objects": ({ before }) => before.youngTotal,
  "V8's garbage, and what it keeps free": ({ before, after }) =>
    before.heapTotal - before.youngTotal - after.heap,
  "resident memory of the process, before a collection": ({ before }) => before.resident,
  [RESIDENT]: ({ after }) => after.resident,
} satisfies Record<string, (held: HeldTwice) => number>;

/**
 * The memory of one stream or WebSocket, as the difference between many and few.
 * @param bare The memory of bare Deno that holds as many open.
 * @param mostKb The bar in kB, both for objects and buffers and for how far the resident memory may be from that of
 * bare Deno.
 */
export function heldRows(
  subject: string,
  rounds: readonly FewAndMany[],
  bare: readonly FewAndMany[],
  mostKb: number,
): Row[] {
  return Object.entries(PARTS).map(([part, of]) => {
    const samplesOf = (held: readonly FewAndMany[]): number[] =>
      held.map(({ few, many, more }) => (of(many) - of(few)) / more / KB);
    return {
      what: `${subject}: ${part}`,
      samples: samplesOf(rounds),
      baseline: medianOf(samplesOf(bare)),
      ...part === OBJECTS && { bar: atMost(mostKb) },
      ...part === RESIDENT && { bar: within(mostKb) },
    };
  });
}
