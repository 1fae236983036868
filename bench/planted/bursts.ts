/** A worker that computes in bursts, once it is sent a seed: their lengths and those of the pauses are exponential. */
import { Random } from "../statistics/random.ts";

/** Of bursts and of pauses: together they take half of a core. */
const MEAN_MS = 500;

const sleeping = new Int32Array(new SharedArrayBuffer(4));

function burst(lengthMs: number): void {
  const endMs = performance.now() + lengthMs;
  while (performance.now() < endMs);
}

addEventListener("message", ({ data: seed }) => {
  const random = new Random(seed);
  for (;;) {
    burst(MEAN_MS * random.exponential());
    Atomics.wait(sleeping, 0, 0, MEAN_MS * random.exponential());
  }
});
