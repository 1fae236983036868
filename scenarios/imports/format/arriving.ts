/** Virtual users of other tools, each of whom goes through a flow a fixed number of times. */
import { durationText } from "../../../base/quantity.ts";

/** Arrivals per millisecond for virtual users who all begin at once. */
const AT_ONCE = 1_000;

/** Virtual users who begin evenly over the ramp, each with a connection of its own, and go through the flow once. */
export function arriving(users: number, rampS = 0): Readonly<Record<string, unknown>> {
  const durationMs = rampS === 0 ? Math.ceil(users / AT_ONCE) : rampS * 1_000;
  const arrivals = `${users * 1_000 / durationMs}/s`;
  return { phases: [{ duration: durationText(durationMs), arrivals }], connections: users };
}
