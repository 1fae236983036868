/**
 * The schema of the load in an agent's job. No matter who wrote the job, it must obey the rules of experiment files,
 * except for placeholders in paths (see `wirePath`).
 */
import { METHODS } from "../../../base/http/request.ts";
import * as z from "zod";
import { cookieName, cookieValue, thinkMs } from "../../../scenarios/request/flow.ts";
import { jsonStep, patternSource } from "../../../scenarios/request/values.ts";
import { COMPRESSIONS, grpcMethod, streamKind, until } from "../../../scenarios/request/request.ts";
import { messageTypes, rootType } from "../../../base/grpc/message_types.ts";
import { THINK_SHAPES } from "../../../scenarios/pace/think_times.ts";
import { MOST_HOPS } from "../../../scenarios/request/follow.ts";
import { conflictsOf, OPTION_RESULTS } from "../../../base/load_options.ts";
import type { Load } from "../../../scenarios/load/load.ts";
import {
  arrivals,
  connections,
  durationMsSchema,
  MOST_PER_SEC,
  NO_ARRIVALS,
  NO_CONNECTIONS,
  pipeline,
  pool,
  requests,
  someArrive,
  someConnect,
  workers,
} from "../../../scenarios/load/load_shape.ts";
import { beyond, isWithin, LIMITS } from "../../../base/limits.ts";
import {
  expectation,
  fieldName,
  headerName,
  headerValue,
  hookName,
  path,
} from "../../../scenarios/request/request.ts";
import { msBetween } from "../../../base/quantity.ts";
import { scriptCodeShape } from "../../../scenarios/code/code.ts";
import { answer, subprotocol } from "../../../scenarios/request/websocket.ts";
import type { Script } from "../../../scenarios/request/script.ts";
import { receivedScript, type SentScript } from "./sent_script.ts";
import { valueName } from "../../../scenarios/request/values.ts";
import { quotedOpenly } from "../../../base/secrets.ts";

const text = z.string().max(LIMITS.body.most);

const secretText = z.string().min(1).max(LIMITS.fieldValue.most);
/** The text shown in place of a secret, such as a variable's name; kept short, because it may appear often. */
const shownText = z.string().min(1).max(LIMITS.sentence.most);

/** Secrets of the job, each with the text that the agent shows in its place. */
export const jobSecrets = z.array(z.tuple([secretText, shownText])).max(LIMITS.jobSecrets.most)
  .superRefine((secrets, context) => {
    const chars = secrets.reduce((sum, [value]) => sum + value.length, 0);
    if (!isWithin("secretText", chars)) {
      context.addIssue(`Cannot keep the secrets of this job: ${beyond("secretText", chars)}`);
    }
  });

// Unlike in an experiment file, a placeholder in a path need not have a value. Without one, it is
// sent as text, with its spaces percent-encoded.
const wirePath = path.max(LIMITS.path.most).regex(/^\P{Cc}*$/u, {
  error: ({ input }) => `Cannot use ${quotedOpenly(input)} as a path: it has control characters`,
});

function hasAtMost(most: number): (fields: Readonly<Record<string, unknown>>) => boolean {
  return (fields) => Object.keys(fields).length <= most;
}

/**
 * The most parts of a body: the parts of a form (the line before each field, its head, its content, and the last line),
 * or the messages of a gRPC call.
 */
const MOST_BODY_PARTS = Math.max(3 * LIMITS.formFields.most + 1, LIMITS.grpcMessages.most);

const bodyPart = z.union([
  z.strictObject({ text }),
  z.strictObject({ quoted: text }),
  z.strictObject({ message: text }),
  z.strictObject({ base64: z.base64().max(2 * LIMITS.body.most) }),
]);

const body = z.union([text, z.array(bodyPart).max(MOST_BODY_PARTS), z.null()], {
  error: "Cannot send a body that is neither text nor parts of a form",
});

const wire = z.strictObject({
  method: z.enum(METHODS.map((method) => method.toUpperCase())),
  path: wirePath,
  headers: z.record(headerName, headerValue.max(LIMITS.fieldValue.most))
    .refine(
      hasAtMost(LIMITS.fields.most),
      `Cannot send more than ${LIMITS.fields.most} header fields`,
    ),
  body,
});

const fromJson = z.strictObject({
  kind: z.literal("json"),
  path: z.array(jsonStep).min(1).max(LIMITS.captures.most),
});
const fromText = z.strictObject({ kind: z.literal("pattern"), source: patternSource });

const capture = z.strictObject({
  as: valueName,
  from: z.discriminatedUnion("kind", [
    fromJson,
    z.strictObject({
      kind: z.literal("header"),
      name: fieldName,
      pattern: patternSource.optional(),
    }),
    z.strictObject({ kind: z.literal("cookie"), name: cookieName }),
    fromText,
  ]),
});

const sentRoot = rootType.extend({ types: z.int().min(0) });

const call = z.strictObject({
  method: grpcMethod,
  compress: z.enum(COMPRESSIONS).optional(),
  ready: z.strictObject({
    isUnary: z.boolean(),
    deadlineMs: z.number().min(0).optional(),
    input: sentRoot.optional(),
    output: sentRoot.optional(),
  }),
});

const stream = z.strictObject({
  kind: z.union([streamKind, z.literal("grpc")]),
  until: until.optional(),
  holdMs: msBetween("1ms", "24h").optional(),
  reconnectMs: msBetween("0ms", "1h").optional(),
  token: z.discriminatedUnion("kind", [fromJson, fromText]).optional(),
});

const socket = z.strictObject({
  send: z.strictObject({ everyMs: msBetween("1ms", "24h").optional(), isText: z.boolean() })
    .optional(),
  answer: z.union([answer, z.discriminatedUnion("kind", [fromJson, fromText])]),
  holdMs: msBetween("1ms", "24h").optional(),
  subprotocols: z.array(subprotocol).max(100),
  deflate: z.boolean(),
});

/** Names of the steps for which separate figures are kept. */
const stepNames = z.array(z.string().min(1).max(200)).max(LIMITS.stepNames.most);

const requestStep = z.strictObject({
  kind: z.literal("request"),
  step: z.int().min(0).max(LIMITS.stepNames.most),
  wire,
  expect: expectation.extend({
    ...{ body: text.optional(), contains: text.optional() },
    message: z.union([answer, z.discriminatedUnion("kind", [fromJson, fromText])]).optional(),
  }),
  captures: z.array(capture).max(LIMITS.captures.most),
  stream: stream.optional(),
  call: call.optional(),
  socket: socket.optional(),
  beside: z.literal(true).optional(),
  hooks: z.strictObject({ before: hookName.nullable(), after: hookName.nullable() }).optional(),
  follow: z.strictObject({
    most: z.int().min(1).max(MOST_HOPS),
    step: z.int().min(0).max(LIMITS.stepNames.most),
  }).nullable(),
});

const thinkStep = z.strictObject({
  kind: z.literal("think"),
  thinkMs,
  as: z.enum(THINK_SHAPES).optional(),
});

/** Types of the messages of gRPC calls; each request has at most two. */
const types = z.array(messageTypes).max(2 * LIMITS.steps.most).optional();

const user = z.strictObject({ start: hookName.nullable(), end: hookName.nullable() }).optional();

const valuesOfUsers = z.array(z.record(z.string(), text)).min(1).max(LIMITS.variants.most);

const singleRequests = z.strictObject({
  kind: z.literal("requests"),
  stepNames,
  code: scriptCodeShape.optional(),
  ...{ types, user },
  own: valuesOfUsers.optional(),
  requests: z.array(requestStep).min(1).max(LIMITS.variants.most),
  sequence: z.array(z.int().min(0)).min(1).max(LIMITS.variants.most),
}).refine(({ requests, sequence }) => sequence.every((at) => at < requests.length), {
  path: ["sequence"],
  error: "Cannot send a request that is not in the job",
});

const flow = z.strictObject({
  kind: z.literal("flow"),
  stepNames,
  code: scriptCodeShape.optional(),
  ...{ types, user },
  own: valuesOfUsers.optional(),
  steps: z.array(z.discriminatedUnion("kind", [requestStep, thinkStep])).max(LIMITS.steps.most)
    .refine((steps) => steps.some(({ kind }) => kind === "request"), {
      error: "Cannot run a flow without a request",
    }),
  users: valuesOfUsers,
  cookies: z.record(cookieName, cookieValue).nullable(),
  lanes: z.int().min(2).max(LIMITS.parallel.most).optional(),
});

export const scriptShape: z.ZodType<Script, SentScript> = z.discriminatedUnion("kind", [
  singleRequests,
  flow,
]).transform((sent, context): Script => {
  const script = receivedScript(sent);
  if (script !== null) return script;
  context.addIssue("Cannot call a method whose types are not in the job");
  return z.NEVER;
});

const perSec = z.number().min(0).max(MOST_PER_SEC);

const common = {
  connections,
  ...OPTION_RESULTS,
  workers: workers.nullable(),
};

const durationUs = z.number().superRefine((us, context) => {
  const { error } = durationMsSchema.safeParse(us / 1_000);
  for (const { message } of error?.issues ?? []) context.addIssue(message);
});

const users = z.int().min(0).max(LIMITS.connections.most);

const closed = z.strictObject({
  kind: z.literal("closed"),
  ...common,
  pipeline,
  durationMs: durationMsSchema.nullable(),
  requests: requests.nullable(),
  stages: z.array(z.strictObject({ durationUs, from: users, to: users })).min(1)
    .max(LIMITS.phases.most).refine(someConnect, NO_CONNECTIONS).optional(),
}).refine(({ durationMs, requests }) => (durationMs === null) !== (requests === null), {
  error:
    "Cannot tell when the run ends: give either durationMs or requests, and null for the other",
});

const rate = z.strictObject({
  kind: z.literal("rate"),
  ...common,
  ratePerSec: perSec.positive(),
  arrivals,
  durationMs: durationMsSchema,
  burst: z.strictObject({ ratePerSec: perSec.positive(), durationMs: z.number().positive() })
    .optional(),
}).refine(({ burst, durationMs }) => burst === undefined || burst.durationMs < durationMs, {
  error: "Cannot begin a load with a burst that is as long as the load",
});

const phase = z.strictObject({
  durationUs,
  fromPerSec: perSec,
  toPerSec: perSec,
});

const phases = z.strictObject({
  kind: z.literal("phases"),
  ...common,
  phases: z.array(phase).min(1).max(LIMITS.phases.most).refine(someArrive, NO_ARRIVALS),
  arrivals,
  pool,
});

export const loadShape: z.ZodType<Load, Load> = z.discriminatedUnion("kind", [
  closed,
  rate,
  phases,
]).superRefine((load, context) => {
  for (const { message } of conflictsOf(load)) context.addIssue(message);
});
