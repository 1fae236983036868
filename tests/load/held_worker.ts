/// <reference lib="deno.worker" />
/**
 * The load worker, but for what its name says holds it: `prepare` or `start` before it answers that message,
 * `interval` right after the first interval by which it has completed anything. What is held looks at one flag and nothing else, as
 * code that never comes back looks at nothing; a test raises the flag at its end, so that no thread stays.
 */
import type { FromWorker, ToWorker } from "../../runner/load/worker/messages.ts";
import "../../runner/load/worker/worker.ts"; // not by an await, in which messages that find no handler would be lost

const [, holdsAt] = self.name.split(":");
const real = self.postMessage.bind(self);
let released: Int32Array<SharedArrayBuffer> | null = null;

function hold(): void {
  const flag = released ?? new Int32Array(new SharedArrayBuffer(4));
  while (Atomics.load(flag, 0) === 0);
}

self.postMessage = (message: FromWorker) => {
  real(message);
  const isDue = message.kind === "interval" && message.soFar.totals.completed > 0;
  if (isDue && holdsAt === "interval") hold();
};

const onMessage = self.onmessage;
self.onmessage = async (event: MessageEvent<ToWorker | Int32Array<SharedArrayBuffer>>) => {
  const { data } = event;
  if (data instanceof Int32Array) released = data;
  else {
    if (data.kind === holdsAt) hold();
    await (onMessage && Reflect.apply(onMessage, self, [event]));
  }
};
