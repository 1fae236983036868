/** A pool whose workers are held, each by what its hold says; at the end of its `using` scope they go on. */
import { WorkerPool } from "../../runner/load/worker/pool.ts";

export type Hold = "prepare" | "start" | "interval" | "nothing";

export interface HeldPool extends Disposable {
  readonly pool: WorkerPool;
  /** How many workers it has made. */
  readonly made: () => number;
}

/** @param holds Of the workers in the order in which they are made; any other is held by nothing. */
export function heldPool(holds: readonly Hold[]): HeldPool {
  const released = new Int32Array(new SharedArrayBuffer(4));
  let made = 0;
  const pool = new WorkerPool(() => {
    const url = new URL("./held_worker.ts", import.meta.url);
    const isolate = new Worker(url, { type: "module", name: `held:${holds[made++] ?? "nothing"}` });
    isolate.postMessage(released);
    return isolate;
  });
  const end = (): void => {
    Atomics.store(released, 0, 1);
    Atomics.notify(released, 0);
    pool.close();
  };
  return { pool, made: () => made, [Symbol.dispose]: end };
}
