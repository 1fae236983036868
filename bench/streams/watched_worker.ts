/// <reference lib="deno.worker" />
/**
 * A load worker that also posts the memory of its isolate, before and after a full garbage collection. Its name is the
 * number of the interval at whose end it does so.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FromWorker } from "../../runner/load/worker/messages.ts";
import "../../runner/load/worker/worker.ts"; // a dynamic import would lose the first messages

/** The memory of an isolate, in bytes. */
export interface Held {
  readonly heap: number;
  /** The memory reserved for the heap, whether in use or not. */
  readonly heapTotal: number;
  /** The part of `heapTotal` that is reserved for new objects. */
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
