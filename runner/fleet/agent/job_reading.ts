/**
 * Reads a job from an agent's queue: returns the job if the agent may make its load, or else why the agent refuses it.
 */
import * as z from "zod";
import { explain } from "../../../base/explain.ts";
import { withEngine } from "../../../base/pattern.ts";
import { findingsOf, type PathProblem } from "../../../base/problems.ts";
import type { SecretValue } from "../../../base/secrets.ts";
import { endpointOf } from "../../../base/net/endpoint.ts";
import { VERSION } from "../../../base/version.ts";
import type { AllowList } from "./allow.ts";
import { type AgentJob, agentJob } from "../protocol/agent_message.ts";

/** The coordinator to notify if the job is refused. */
export type Sender = Pick<AgentJob, "run" | "coordinator">;

type ReadJob =
  /** @property job The job. If the allow list checked addresses of its endpoint, only these are dialed. */
  | { readonly job: AgentJob }
  /** @property sender Null if the job names no sender. */
  | { readonly sender: Sender | null; readonly problems: readonly string[] };

const head = z.object({
  run: agentJob.shape.run,
  coordinator: agentJob.shape.coordinator,
  version: agentJob.shape.version,
});

/** The secrets that a job lists, which must not be shown; none if the list can't be read. */
export function secretsOfJob(data: unknown): readonly SecretValue[] {
  return agentJob.shape.secrets.safeParse(Reflect.get(Object(data), "secrets")).data ?? [];
}

export async function readJob(data: unknown, allow: AllowList): Promise<ReadJob> {
  const sender = head.safeParse(data).data ?? null;
  if (sender !== null && sender.version !== VERSION) {
    const versions =
      `this agent is version ${VERSION}, its coordinator is version ${sender.version}`;
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

/**
 * The most lines reported to the sender, because a job may be wrong in a million places, each with a megabyte of text.
 */
const MOST_LINES = 20;
const MOST_CHARS = 500;

function problemLines(findings: readonly PathProblem[]): string[] {
  const lines = findings.slice(0, MOST_LINES).map(({ path, message }) =>
    `${path.join(".")}: ${message}`.slice(0, MOST_CHARS)
  );
  const rest = findings.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest.toLocaleString("en")} more`] : lines;
}
