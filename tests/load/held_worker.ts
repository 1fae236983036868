/// <reference lib="deno.worker" />
/**
 * The load worker, but for what its name says holds it: `prepare` or `start` before it answers that message,
 * `interval` right after the first interval by which it has completed anything. It is held like a script that never
 * returns: by computing at an interval, by one endless call before. A test raises a flag at its end, so that no thread stays.
 */
import type { FromWorker, ToWorker } from "../../runner/load/worker/messages.ts";
import "../../runner/load/worker/worker.ts"; // not by an await, in which messages that find no handler would be lost

const [, holdsAt] = self.name.split(":");
const real = self.postMessage.bind(self);
let released: Int32Array<SharedArrayBuffer> | null = null;

function flag(): Int32Array<SharedArrayBuffer> {
  return released ?? new Int32Array(new SharedArrayBuffer(4));
}

function holdByComputing(): void {
  const up = flag();
  while (Atomics.load(up, 0) === 0);
}

function holdByWaiting(): void {
  Atomics.wait(flag(), 0, 0);
}

self.postMessage = (message: FromWorker) => {
  real(message);
  const isDue = message.kind === "interval" && message.soFar.totals.completed > 0;
  if (isDue && holdsAt === "interval") holdByComputing();
};

const onMessage = self.onmessage;
self.onmessage = async (event: MessageEvent<ToWorker | Int32Array<SharedArrayBuffer>>) => {
  const { data } = event;
  if (data instanceof Int32Array) released = data;
  else {
    if (data.kind === holdsAt) holdByWaiting();
    await (onMessage && Reflect.apply(onMessage, self, [event]));
  }
};
