/** Whether a run ends soon, on a machine that others use, too. */
import assert from "node:assert/strict";

/** A machine that stands still holds everybody up: then it is tried again. */
const MOST_TRIES = 3;

/** Runs `run`, which gives how long it took: again where that is too long, as one that waits in vain always takes it. */
export async function endsWithin(mostMs: number, run: () => Promise<number>): Promise<void> {
  const tookMs: number[] = [];
  do tookMs.push(await run()); while (Math.min(...tookMs) >= mostMs && tookMs.length < MOST_TRIES);
  assert.ok(Math.min(...tookMs) < mostMs, `it took ${tookMs} ms, and ${mostMs} ms are the most`);
}
