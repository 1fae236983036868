/** Replays of a plan, which other machines cannot send: they do not have the log. */
import { UserError } from "../../base/errors.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";

/** Throws a UserError where one is planned. */
export function refuseReplays(cells: readonly Cell[]): void {
  const replayed = cells.find(({ request }) => "replay" in request);
  if (replayed === undefined) return;
  throw new UserError([{
    place: "--agents",
    message: `Cannot replay a log from other machines: scenario ${replayed.scenario} is a replay`,
    fix: "leave --agents out, or choose other scenarios with --only",
  }]);
}
