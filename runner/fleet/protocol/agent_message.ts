/**
 * Jobs, messages and run states that go between a coordinator and its agents, as zod schemas, because each side checks
 * what it reads from Redis. Moments are milliseconds; descriptions say which moments are by Redis's clock.
 */
import * as z from "zod";
import { accessShape } from "../../../base/target/access.ts";
import { LIMITS } from "../../../base/limits.ts";
import { msBetween } from "../../../base/quantity.ts";
import { whyTooLong } from "../../../scenarios/load/load.ts";
import { intervalMs } from "../../../scenarios/load/load_shape.ts";
import { DRIVER_NAMES } from "../../load/engine/driver.ts";
import { endedWorkers, hostActivity, targetUse } from "../../result/generator.ts";
import { jobSecrets, loadShape, scriptShape } from "./job_schema.ts";
import { packedHealth, packedPart, packedReport } from "./packing.ts";
import { quotedOpenly } from "../../../base/secrets.ts";

/** The name of an agent, which is part of keys, ids and file names. */
export const agentName = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/i, {
  error: ({ input }) =>
    `Cannot use ${
      quotedOpenly(input)
    } as an agent's name: use up to 64 letters, digits, dots, hyphens and underscores`,
});

/** The most characters of texts that become part of a line of output, or of a key in Redis. */
const MOST_CHARS = { run: 100, name: 300, sentence: 10_000 } as const;

/** The longest times by which an agent may delay its coordinator. */
const MOST_MS = { uncertainty: 10_000, delay: 60_000 } as const;

const ms = z.number();

/** A name without control characters, so that it fits in a line of a table. */
const name = z.string().max(MOST_CHARS.name).regex(/^\P{Cc}*$/u);

/** Upper bound for the rate of one worker; none reaches a hundredth of it. */
const MOST_PER_SEC = 1e9;
/** The most workers of one agent. By default, an agent has as many as its machine has cores. */
const MOST_WORKERS = LIMITS.agentWorkers.most;
const ownWorkers = z.int().min(1).max(MOST_WORKERS);

/** An agent's estimate of the difference between Redis's clock and its own. */
const clock = z.strictObject({
  offsetMs: ms.describe("Redis's clock minus the agent's clock"),
  uncertaintyMs: ms.min(0).max(MOST_MS.uncertainty).describe(
    "Largest possible error of the offset, in either direction",
  ),
});

export type ClockReading = z.output<typeof clock>;

/** An agent's entry in Redis, which shows that it is present. */
export const presence = z.strictObject({
  name: agentName,
  version: name,
  host: name,
  cores: z.int().min(1),
  openFiles: z.int().min(1).nullable().describe(
    "Number of files that the agent's process may open; null: unlimited or unknown",
  ),
  workers: ownWorkers,
  driver: z.enum(DRIVER_NAMES),
  peakThroughput: z.number().positive().max(MOST_PER_SEC).nullable().describe(
    "Peak throughput of one worker, requests per second; null: not calibrated",
  ),
  allow: z.array(name).max(1_000),
  clock,
  coordinator: name.nullable().describe(
    "Coordinator that the agent works for; null: the agent is idle",
  ),
  since: ms.describe(
    "When the agent began to work for this coordinator, in milliseconds since the epoch by Redis's clock",
  ),
});

export type Presence = z.output<typeof presence>;

/** The run that a coordinator currently announces. */
export const runState = z.strictObject({
  run: z.string().nullable().describe("The current run; null between runs"),
  startAtMs: ms.nullable().describe("When the run starts, by Redis's clock; null: not yet known"),
  stop: z.boolean().describe("Whether the run is to end early"),
});

export type RunState = z.output<typeof runState>;

const id = z.string().min(1).max(LIMITS.name.most);

/** One agent's share of one run. */
export const agentJob = z.strictObject({
  run: id,
  coordinator: id,
  version: id,
  assigned: z.strictObject({
    firstWorker: z.int().min(0),
    workers: z.int().min(1).max(LIMITS.fleetWorkers.most).describe("Workers of the whole fleet"),
    own: ownWorkers,
  }).refine(
    ({ firstWorker, workers, own }) => firstWorker + own <= workers,
    "Cannot assign more workers than there are",
  ),
  origin: z.url({ protocol: /^https?$/ }).max(LIMITS.path.most),
  access: accessShape,
  script: scriptShape,
  load: loadShape,
  seed: z.int().min(0).max(0xffffffff),
  driver: z.enum([...DRIVER_NAMES, "auto"]),
  intervalMs,
  implicitCheck: z.boolean(),
  reportEveryMs: msBetween("10ms", "1h").describe("How often a bundle of intervals is sent"),
  secrets: jobSecrets.optional(),
}).superRefine(({ load, intervalMs }, context) => {
  const why = whyTooLong(load, intervalMs);
  if (why === null) return;
  context.addIssue({
    code: "custom",
    path: ["load"],
    message: `Cannot carry out this load: ${why}`,
  });
});

export type AgentJob = z.output<typeof agentJob>;
/** A job as the coordinator sends it, before the schema parses it. */
export type AgentJobInput = z.input<typeof agentJob>;

/** The fields that name the sender in every kind of message. */
export const messageSender = z.object({ run: z.string(), agent: z.string() });

const from = { run: z.string().max(MOST_CHARS.run), agent: agentName };
const sentence = z.string().max(MOST_CHARS.sentence);
const seq = z.int().min(0).describe("0 for the first bundle of a run");

/** Agents' messages. Bundles may arrive twice and in any order; `finished` says how many there were. */
export const agentMessage = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ready"),
    ...from,
    driver: z.enum(DRIVER_NAMES),
    notes: z.array(sentence).max(100),
    clock,
    delayMs: ms.min(0).max(MOST_MS.delay).describe(
      "Time that the agent's workers need between the announcement of the start and the start",
    ),
  }),
  z.strictObject({
    kind: z.literal("refused"),
    ...from,
    problems: z.array(sentence).min(1).max(100).describe("Problems, each as a sentence"),
  }),
  z.strictObject({
    kind: z.literal("bundle"),
    ...from,
    seq,
    parts: z.array(z.strictObject({
      worker: z.int().min(0).describe("Number of the worker in the whole fleet"),
      part: packedPart,
      health: packedHealth,
    })).min(1).max(LIMITS.fleetParts.most),
    soFar: z.array(z.unknown()).max(MOST_WORKERS).describe(
      "A packedSoFar for each of the agent's workers: the worker's totals if the run ended with its last part. " +
        "Parsed only when needed, because that takes longer than parsing the rest of the message",
    ),
  }),
  z.strictObject({
    kind: z.literal("finished"),
    ...from,
    bundles: z.int().min(0),
    reports: z.array(packedReport).min(1).max(MOST_WORKERS),
    startedAtMs: ms.describe("By Redis's clock"),
    stage: z.strictObject({
      hostActivity: hostActivity,
      target: targetUse.optional(),
      calibration: z.strictObject({ peakThroughput: z.number(), baselineLatency: z.number() })
        .nullable(),
      sharesMachine: z.boolean(),
      ended: endedWorkers,
    }),
  }),
  z.strictObject({ kind: z.literal("failed"), ...from, message: sentence }),
]);

export type AgentMessage = z.output<typeof agentMessage>;
/** A message as an agent sends it, before the schema parses it. */
export type AgentMessageInput = z.input<typeof agentMessage>;
export type AgentMessageOf<Kind extends AgentMessage["kind"]> = Extract<
  AgentMessage,
  { kind: Kind }
>;

/** An id that is the same for a repeated message, so that adding the message twice has no effect. */
export function messageId({ run, agent, ...message }: AgentMessage | AgentMessageInput): string {
  return `${run}.${agent}.${message.kind}${message.kind === "bundle" ? `.${message.seq}` : ""}`;
}
