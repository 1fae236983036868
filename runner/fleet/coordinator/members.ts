/** Who of a fleet takes which part of a load. */
import type { DriverName } from "../../load/engine/driver.ts";
import type { SilentShare } from "../../load/worker/silent_worker.ts";
import type { LoadRequest } from "../../measure/loader.ts";
import { type AssignedWorkers, shareOut, usableConnections } from "../../measure/share.ts";
import type { Presence } from "../protocol/agent_message.ts";
import { workersByAgent } from "./roster.ts";

/** What a coordinator keeps of a worker's share: the script can be large, and is its agent's to know. */
export interface MemberShare extends SilentShare {
  readonly connections: number;
}

/** One agent and its part of the load. */
export interface FleetMember {
  readonly presence: Presence;
  readonly assigned: AssignedWorkers;
  /** Of each own worker. */
  readonly shares: readonly MemberShare[];
}

/** The load, split over the agents' workers; agents for which nothing is left have no part in it. */
export function membersOf(request: LoadRequest, agents: readonly Presence[]): FleetMember[] {
  const brought = agents.map(({ workers }) => ({ workers: request.load.workers ?? workers }));
  const own = workersByAgent(brought, usableConnections(request.load));
  const workers = own.reduce((sum, count) => sum + count, 0);
  let firstWorker = 0;
  return agents.flatMap((presence, at): FleetMember[] => {
    if (own[at] === 0) return [];
    const assigned: AssignedWorkers = { firstWorker, workers, own: own[at] };
    firstWorker += own[at];
    // Which driver it takes is the agent's affair; when what is due does not depend on it.
    const driver: DriverName = presence.driver;
    const shares = shareOut(request, driver, assigned).map((share) => ({
      connections: share.connections,
      pacer: share.pacer,
      durationUs: share.durationUs,
      scriptKind: share.script.kind,
    }));
    return [{ presence, assigned, shares }];
  });
}
