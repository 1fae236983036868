/// <reference lib="deno.worker" />
/**
 * A worker that computes in bursts, once it is sent a seed and the flag that ends it: the lengths of bursts and pauses
 * are exponential. The flag is necessary because terminate() does not end a loop that never returns.
 */
import { Random } from "../statistics/random.ts";

/** The mean length of bursts, and of pauses, so that the bursts take half of a core. */
const MEAN_MS = 500;

export interface Bursts {
  readonly seed: number;
  /** One number, which is 0 while the bursts go on. */
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
