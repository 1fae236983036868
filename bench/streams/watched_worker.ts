/// <reference lib="deno.worker" />
/**
 * The load worker, which at the interval in its name also posts the memory of its isolate: before and after all garbage
 * is collected.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FromWorker } from "../../runner/load/worker/messages.ts";
import "../../runner/load/worker/worker.ts"; // static, because messages without a handler would be lost

/** The memory of an isolate in bytes. */
export interface Held {
  readonly heap: number;
  /** The memory of the heap, used or not. */
  readonly heapTotal: number;
  /** The part of `heapTotal` for the youngest objects. */
  readonly youngTotal: number;
  readonly buffers: number;
}

export interface HeldMessage {
  readonly held: { readonly before: Held; readonly after: Held };
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const post = self.postMessage.bind(self);
let left = Number(self.name);

self.postMessage = (message: FromWorker) => {
  if (message.kind === "interval" && --left === 0) {
    const before = held();
    for (let i = 0; i < 3; i++) collect();
    post({ held: { before, after: held() } } satisfies HeldMessage);
  }
  post(message);
};

function held(): Held {
  const { heapUsed, heapTotal, external } = Deno.memoryUsage();
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return { heap: heapUsed, heapTotal, youngTotal: young?.space_size ?? 0, buffers: external };
}
