/** What an agent makes of a job that it finds in its queue: a load that it may carry out, or why not. */
import * as z from "zod";
import { explain } from "../../../base/explain.ts";
import { withEngine } from "../../../base/pattern.ts";
import { findingsOf, type PathProblem } from "../../../base/problems.ts";
import type { SecretValue } from "../../../base/secrets.ts";
import { endpointOf } from "../../../base/net/endpoint.ts";
import { VERSION } from "../../../base/version.ts";
import type { AllowList } from "./allow.ts";
import { type AgentJob, agentJob } from "../protocol/agent_message.ts";

/** The coordinator that is told if the job is refused. */
export type Sender = Pick<AgentJob, "run" | "coordinator">;

type ReadJob =
  /** @property job Goes to the addresses that were checked, where any were. */
  | { readonly job: AgentJob }
  /** @property sender Null when the job does not even have that. */
  | { readonly sender: Sender | null; readonly problems: readonly string[] };

const head = z.object({
  run: agentJob.shape.run,
  coordinator: agentJob.shape.coordinator,
  version: agentJob.shape.version,
});

/** The secrets that a job names, which must not be shown; none where they can't be read. */
export function secretsOfJob(data: unknown): readonly SecretValue[] {
  return agentJob.shape.secrets.safeParse(Reflect.get(Object(data), "secrets")).data ?? [];
}

export async function readJob(data: unknown, allow: AllowList): Promise<ReadJob> {
  const sender = head.safeParse(data).data ?? null;
  if (sender !== null && sender.version !== VERSION) {
    const versions = `this agent is version ${VERSION}, its coordinator ${sender.version}`;
    return { sender, problems: [`Cannot work with another version: ${versions}`] };
  }
  const { data: job, error } = await withEngine(() => agentJob.safeParse(data, { error: explain }));
  if (error !== undefined) {
    return { sender, problems: problemLines(findingsOf(error.issues, data)) };
  }
  const admission = await allow.admit(endpointOf(job.origin, job.access));
  if ("refusal" in admission) return { sender, problems: [admission.refusal] };
  const { addresses } = admission;
  return { job: addresses === null ? job : { ...job, access: { ...job.access, addresses } } };
}

/** How much a sender learns of a job that may be wrong in a million places, each with a megabyte. */
const MOST_LINES = 20;
const MOST_CHARS = 500;

function problemLines(findings: readonly PathProblem[]): string[] {
  const lines = findings.slice(0, MOST_LINES).map(({ path, message }) =>
    `${path.join(".")}: ${message}`.slice(0, MOST_CHARS)
  );
  const rest = findings.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest.toLocaleString("en")} more`] : lines;
}
