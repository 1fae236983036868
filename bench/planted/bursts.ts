/// <reference lib="deno.worker" />
/**
 * A worker that computes in bursts once it has received a seed and a flag that ends it. The lengths of bursts and
 * pauses are exponential. The flag is needed because terminate() does not end a loop that never yields.
 */
import { Random } from "../statistics/random.ts";

/** The mean length of bursts, and also of pauses, so that the worker uses half a core on average. */
const MEAN_MS = 500;

export interface Bursts {
  readonly seed: number;
  /** A single number: 0 while the worker should go on, anything else to end it. */
  readonly ended: Int32Array;
}

function burst(lengthMs: number, ended: Int32Array): void {
  const endMs = performance.now() + lengthMs;
  while (performance.now() < endMs && Atomics.load(ended, 0) === 0);
}

addEventListener("message", ({ data: { seed, ended } }: MessageEvent<Bursts>) => {
  const random = new Random(seed);
  while (Atomics.load(ended, 0) === 0) {
    burst(MEAN_MS * random.exponential(), ended);
    Atomics.wait(ended, 0, 0, MEAN_MS * random.exponential());
  }
  self.close();
});
