/** Scenarios of a plan that other machines cannot send. */
import { UserError } from "../../base/errors.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import type { Scenario } from "../../scenarios/request/scenario.ts";

/** Throws a UserError where one is planned. */
export function refuseLocal(cells: readonly Cell[]): void {
  for (const { scenario, request } of cells) {
    const message = whyLocal(scenario, request);
    if (message === null) continue;
    const fix = "leave --agents out, or choose other scenarios with --only";
    throw new UserError([{ place: "--agents", message, fix }]);
  }
}

function whyLocal(name: string, request: Scenario): string | null {
  if ("replay" in request) {
    return `Cannot replay a log from other machines: scenario ${name} is a replay`;
  }
  if (typeof request.follow !== "object") return null;
  return `Cannot follow redirects to other hosts from other machines: scenario ${name} names some`;
}
