import type { Bursts } from "./bursts.ts";

/**
 * Starts a neighbour that uses a core in bursts until it is disposed of. It is a thread of this process, so it ends
 * with the process at the latest.
 */
export function startNeighbour(seed: number): Disposable {
  const worker = new Worker(new URL("./bursts.ts", import.meta.url), { type: "module" });
  const ended = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage({ seed, ended } satisfies Bursts);
  return {
    [Symbol.dispose]: () => {
      Atomics.store(ended, 0, 1);
      Atomics.notify(ended, 0);
    },
  };
}
