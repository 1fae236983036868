/** The requests of a log, ready to be sent. Pure. */
import { wireRequest } from "../request/request.ts";
import type { RequestScenario } from "../request/scenario.ts";
import type { Script } from "../request/script.ts";
import type { Replay } from "./schedule.ts";

/** What stands in a log, each with the header fields and the expectation of `scenario`. */
export function replayScript(scenario: RequestScenario, { requests, sequence }: Replay): Script {
  const common = { kind: "request" as const, step: 0, follow: null, captures: [] };
  const { headers } = wireRequest(scenario);
  const scripted = requests.map((request) => ({
    ...common,
    expect: scenario.expect,
    wire: { ...request, headers, body: null },
  }));
  return { kind: "requests", stepNames: [], requests: scripted, sequence };
}
