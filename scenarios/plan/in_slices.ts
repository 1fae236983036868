/**
 * Decides which cells of an experiment can be measured in slices, in which two targets take turns, and says why other
 * cells can't. Pure.
 */
import { type Problem, UserError } from "../../base/errors.ts";
import { withThoseBehind } from "../../base/target/references.ts";
import { followOf } from "../request/follow.ts";
import { fixedPortOf, type TargetSpec } from "../../base/target/target_shape.ts";
import type { PlannedLoad } from "../load/load.ts";
import { hooksIn, type Scenario } from "../request/scenario.ts";

/** The parts of a cell that decide whether it can be measured in slices. */
interface Cell {
  readonly target: string;
  readonly targetSpec: TargetSpec;
  readonly others: Readonly<Record<string, TargetSpec>>;
  readonly scenario: string;
  readonly request: Scenario;
  readonly load: PlannedLoad;
  readonly parameters: object;
}

/** A key that is equal for cells that may take turns, which are the cells of one scenario at equal settings. */
export function turnsOf({ scenario, parameters }: Cell): string {
  return JSON.stringify([scenario, parameters]);
}

/**
 * Throws a UserError that lists every reason why the groups can't be measured in slices. One is that the experiment
 * keeps its processes: they would count as many pairs, although they are a single pair that is measured many times.
 */
export function checkSlices(
  groups: readonly (readonly Cell[])[],
  experiment: { readonly fresh: boolean },
): void {
  const reasons = new Set(groups.flatMap((group) => whyNotInSlices(group) ?? []));
  if (!experiment.fresh) {
    reasons.add("every repetition needs fresh processes, but fresh is false");
  }
  if (reasons.size === 0) return;
  throw new UserError([...reasons].map((reason): Problem => ({
    place: "order",
    message: `Cannot measure in slices: ${reason}`,
    fix: "write order: shuffled, or leave order out",
  })));
}

/** Why a group of cells can't be measured in slices; null if it can. */
export function whyNotInSlices(group: readonly Cell[]): string | null {
  const [first, second] = group;
  if (group.length !== 2) {
    const targets = group.map(({ target }) => target).join(", ");
    return `exactly two targets can take turns, but scenario ${first.scenario} has ${group.length}: ${targets}`;
  }
  const port = portOf(first);
  if (port !== null && port === portOf(second)) {
    return `${first.target} and ${second.target} run at the same time, but both need port ${port}`;
  }
  return group.map(whyNot).find((why) => why !== null) ?? null;
}

function portOf({ targetSpec }: Cell): number | null {
  return "command" in targetSpec ? fixedPortOf(targetSpec) : null;
}

function whyNot({ target, targetSpec, others, scenario, request, load }: Cell): string | null {
  if (load.kind === "capacity") return `scenario ${scenario} searches for a capacity`;
  if (load.kind === "phases") {
    return `the load of ${scenario} has phases, each with a duration of its own`;
  }
  if ("replay" in request) return `scenario ${scenario} is a replay`;
  if (load.kind === "rate" && load.arrivals !== "recorded" && load.burst !== undefined) {
    return `the load of ${scenario} has a burst`;
  }
  if (load.kind === "closed" && load.stages !== undefined) {
    return `the load of ${scenario} has stages, each with a duration of its own`;
  }
  if (load.kind === "closed" && load.requests !== null) {
    return `the load of ${scenario} ends after a number of requests, but slices need a duration: write duration`;
  }
  if ("flow" in request || "page" in request || "mix" in request) {
    return `scenario ${scenario} has several requests, which a slice would cut`;
  }
  if (hooksIn(request).length > 0) return `scenario ${scenario} has hooks of a script`;
  const { websocket, stream, grpc, proto, follow } = request;
  if (websocket !== undefined) {
    return `scenario ${scenario} opens WebSockets, which a slice would cut`;
  }
  if (grpc !== undefined && proto === undefined) {
    return `scenario ${scenario} relies on the server's reflection for gRPC, which would add calls between slices: name the .proto file of the method`;
  }
  if (stream !== undefined || grpc !== undefined && proto?.method(grpc).serverStreams) {
    return `responses of scenario ${scenario} are streams, which a slice would cut`;
  }
  if (followOf(follow).most > 0) return `scenario ${scenario} follows redirects`;
  const isRedisUsed = request.needs?.includes("redis") ||
    withThoseBehind(targetSpec, others).some((spec) => JSON.stringify(spec).includes('"redis"'));
  return isRedisUsed ? `${target} uses Redis, which both targets would share` : null;
}
