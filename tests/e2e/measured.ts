/** `plateau bench` by its JSON. */
import assert from "node:assert/strict";
import { type Measurement, measurement } from "../../runner/result/result.ts";
import { type Ended, plateau } from "./plateau.ts";

/** What a `bench --json -` that ended with `wanted` has printed: its measurement, and nothing else. */
export function measured({ code, stdout, stderr }: Ended, wanted = 0): Measurement {
  assert.equal(code, wanted, stderr);
  return measurement.parse(JSON.parse(stdout));
}

/** `plateau bench ARGS… --json -`. */
export function bench(...args: string[]): Promise<Measurement> {
  return benchEnding(0, ...args);
}

/** The same where its exit code is this one. */
export async function benchEnding(code: number, ...args: string[]): Promise<Measurement> {
  return measured(await plateau(["bench", ...args, "--json", "-"]), code);
}
