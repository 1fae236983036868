/** Virtual users of other tools that each go through a flow so many times. */
import { durationText } from "../../../base/quantity.ts";

/** Arrivals a millisecond of virtual users that all begin at once. */
const AT_ONCE = 1_000;

/** They begin evenly over the ramp, each with a connection of its own; each goes through the flow once. */
export function arriving(users: number, rampS = 0): Readonly<Record<string, unknown>> {
  const durationMs = rampS === 0 ? Math.ceil(users / AT_ONCE) : rampS * 1_000;
  const arrivals = `${users * 1_000 / durationMs}/s`;
  return { phases: [{ duration: durationText(durationMs), arrivals }], connections: users };
}
