/** Describes the load of other tools in which a given number of virtual users each go through a flow once. */
import { durationText } from "../../../base/quantity.ts";

/** Virtual users who start at the same time are spread out at this many per millisecond. */
const AT_ONCE = 1_000;

/**
 * The load of virtual users who start at regular intervals within `rampS` seconds, or almost at once if that is 0. Each
 * has its own connection, and goes through the flow once.
 */
export function arriving(users: number, rampS = 0): Readonly<Record<string, unknown>> {
  const durationMs = rampS === 0 ? Math.ceil(users / AT_ONCE) : rampS * 1_000;
  const arrivals = `${users * 1_000 / durationMs}/s`;
  return { phases: [{ duration: durationText(durationMs), arrivals }], connections: users };
}
