/** What an agent makes of a job that it finds in its queue: a load that it may carry out, or why not. */
import { z } from "zod";
import { explain } from "../../scenarios/explain.ts";
import { withEngine } from "../../scenarios/pattern.ts";
import { findingsOf } from "../../scenarios/problems.ts";
import { endpointOf } from "../../targets/dial/endpoint.ts";
import { VERSION } from "../version.ts";
import type { AllowList } from "./allow.ts";
import { type AgentJob, agentJob } from "./told.ts";

/** Whom to tell that a job is refused. */
export type Sender = Pick<AgentJob, "run" | "coordinator">;

export type ReadJob =
  | { readonly job: AgentJob }
  /** @property sender Null when the job does not even tell that. */
  | { readonly sender: Sender | null; readonly problems: readonly string[] };

const head = z.object({
  run: agentJob.shape.run,
  coordinator: agentJob.shape.coordinator,
  version: agentJob.shape.version,
});

export async function readJob(data: unknown, allow: AllowList): Promise<ReadJob> {
  const sender = head.safeParse(data).data ?? null;
  if (sender !== null && sender.version !== VERSION) {
    const versions = `this agent is version ${VERSION}, its coordinator ${sender.version}`;
    return { sender, problems: [`Cannot work with another version: ${versions}`] };
  }
  const { data: job, error } = await withEngine(() => agentJob.safeParse(data, { error: explain }));
  if (error !== undefined) {
    const findings = findingsOf(error.issues, data);
    return {
      sender,
      problems: findings.map(({ path, message }) => `${path.join(".")}: ${message}`),
    };
  }
  const refusal = await allow.refusal(endpointOf(job.origin, job.access));
  return refusal === null ? { job } : { sender, problems: [refusal] };
}
