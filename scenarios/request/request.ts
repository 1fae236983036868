/**
 * One HTTP request with its expectations: its form in the file, its form on the wire (RFC 9112 §3), and the check of
 * its response. Scenarios of every kind consist of such requests.
 */
import { type Method, METHODS } from "../../base/http/request.ts";
import * as z from "zod";
import { between } from "../../base/quantity.ts";
import type { WireRequest } from "../../base/http/request.ts";
import type { Conflict } from "../../base/problems.ts";
import { contentOf, type Files } from "../../base/files.ts";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../base/limits.ts";
import { matchFor, whyUnseen, wrongMatch } from "../../base/pattern.ts";
import { quotedOpenly, withoutSecrets } from "../../base/secrets.ts";
import { formText, PLACEHOLDER_SOURCE } from "./template.ts";
import { formSpec, multipartBody, multipartSpec, textOrOctets } from "./multipart.ts";
import { isExpectedJson, jsonIn } from "./expected_json.ts";
import { jsonSource, textSource } from "./values.ts";
import {
  answer,
  answerSpec,
  SOCKET_KEYS,
  socketContradictions,
  socketFields,
  socketWire,
} from "./websocket.ts";

/** The keys that give a request a body. */
export const BODIES = ["body", "json", "form", "multipart"] as const;
const FORMS = ["form", "multipart"] as const;
/**
 * Methods whose form fields belong in the path, where browsers write them. A JSON body is allowed, because some servers
 * read one even with GET.
 */
const BODILESS: readonly (Method | undefined)[] = ["get", "head"];

/** The schema of a text that matches `form`. The message about any other text ends with `rule`. */
function formed(form: RegExp, what: string, rule: string): z.ZodString {
  return z.string().max(LIMITS.fieldValue.most).regex(form, {
    error: ({ input }) => `Cannot use ${quotedOpenly(input)} as ${what}: ${rule}`,
  });
}

/** A path in origin form (RFC 9112 §3.2.1). Placeholders such as `{{ name }}` may be parts of it, or all of it. */
export const path = formed(
  new RegExp(
    `^(?:/|${PLACEHOLDER_SOURCE})(?:${PLACEHOLDER_SOURCE}|(?!${PLACEHOLDER_SOURCE})[\\x21-\\x7e])*$`,
  ),
  "a path",
  "start with /, and percent-encode spaces and non-ASCII characters",
);

// Names and values of header fields (RFC 9110 §5.1 and §5.5). `headerName` excludes the fields that
// give the body's length, because the encoder writes them.
export const fieldName = formed(
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/i,
  "a header name",
  "use only letters, digits and signs such as -",
);
export const headerName = formed(
  /^(?!(?:content-length|transfer-encoding)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i,
  "a header name",
  "use only letters, digits and signs such as -, and leave content-length and transfer-encoding to Plateau",
);
export const headerValue = formed(
  /^[\x20-\x7e\t\x80-\xff]*$/,
  "a header value",
  "line breaks and characters beyond Latin-1 are not allowed",
);

export const status = z.int().min(100).max(599);

/**
 * Names of gRPC's statuses. The index of each is its number
 * (https://github.com/grpc/grpc/blob/master/doc/statuscodes.md).
 */
export const GRPC_STATUSES = [
  ...["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED"] as const,
  ...["NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"] as const,
  ...["FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL"] as const,
  ...["UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"] as const,
];
const grpcStatus = z.enum(GRPC_STATUSES);

export const expectation = z.strictObject({
  status: z.union([status, z.array(status).min(1)]).optional()
    .describe(
      "Expected status, or a list of statuses of which one is expected; 2xx and 3xx when absent",
    ),
  body: z.string().optional().describe("The whole body, exactly"),
  contains: z.string().optional().describe("Text that the body must contain"),
  json: z.json().optional().describe(
    "JSON that the body must hold, such as { ok: true }, compared by value; maps in the body may have further members",
  ),
  matches: z.string().superRefine((source, context) => {
    const wrong = wrongMatch(source);
    if (wrong === null) return;
    context.addIssue(`Cannot use ${quotedOpenly(source)} as a pattern: ${wrong}`);
  }).optional().describe("Regular expression (RE2) that must match somewhere in the body"),
  grpcStatus: z.union([grpcStatus, z.array(grpcStatus).min(1)]).optional().describe(
    "Expected status of a gRPC call, or a list of statuses of which one is expected; OK when absent",
  ),
  message: answerSpec.optional().describe(
    "Which message of a WebSocket answers a sent message. echo: the one with the same octets; order: the next one; " +
      "{ json: … } or { pattern: … }: the one with the same value there; push: none, because the server sends unasked",
  ),
});

/** The expectations of a request that is neither a gRPC call nor a WebSocket. */
export const httpExpectation = expectation.omit({ grpcStatus: true, message: true });

export type Expectation = z.output<typeof expectation>;

/** The expectations; `expect: echo` is short for `expect: { message: echo }`. */
const expectationOrAnswer = z.union([
  answer.transform((message): Expectation => ({ message })),
  expectation,
]);

export const headers = z.record(headerName, headerValue)
  .refine(
    (fields) => isWithin("fields", Object.keys(fields).length),
    `Cannot send all of these header fields: ${beyond("fields", oneMoreThan("fields"))}`,
  )
  .default({});

const paths = Object.fromEntries(METHODS.map((method) => [method, path.optional()]));

/** Adds an issue if the body is too large to send. */
function checkBody(text: string, context: z.core.$RefinementCtx): void {
  const mostBytes = 3 * text.length; // UTF-8 takes at most this many
  const bytes = isWithin("body", mostBytes) ? mostBytes : new TextEncoder().encode(text).length;
  if (!isWithin("body", bytes)) context.addIssue(`Cannot send this body: ${beyond("body", bytes)}`);
}

/** Name of a function in an experiment's script, which is its path there, such as `scenarios.order.before`. */
export const hookName = z.string().min(1).max(LIMITS.sentence.most);

/** The kinds of streams: events of `text/event-stream`, lines of text, or lines of JSON. */
const STREAM_KINDS = ["events", "lines", "json-lines"] as const;
export type StreamKind = typeof STREAM_KINDS[number];

/** Media type of event streams, which is also the value of `accept` in a request for one. */
const EVENT_STREAM = "text/event-stream";

export const streamKind = z.enum(STREAM_KINDS);
export const until = z.string().min(1).max(LIMITS.sentence.most);
export const hold = between("1ms", "24h");

/** The delay after which Chrome and Safari reconnect an EventSource. */
const USUAL_RECONNECTION_MS = 3_000;
export const reconnectionTime = between("0ms", "1h");
/** Delay in milliseconds before a stream is requested again, as EventSource does, unless the server sets another. */
export const reconnect = z.union([
  z.literal(true).transform(() => USUAL_RECONNECTION_MS),
  reconnectionTime,
], { error: "Cannot read this as a reconnection time: write true, or a duration from 0ms to 1h" });

const streamFields = {
  stream: streamKind.optional().describe(
    "Reads the response as a stream of messages, as they come: events of text/event-stream, lines, or lines of JSON. " +
      "When absent, the response is read as a whole",
  ),
  until: until.optional().describe(
    'Data of the message that ends the stream, such as "[DONE]"; a stream that ends without it is wrong',
  ),
  hold: hold.optional().describe(
    "How long a virtual user stays on the stream or WebSocket; when absent, until it ends",
  ),
  reconnect: reconnect.optional().describe(
    "Requests the stream again when its response ends or is cut, as EventSource does. Write true, or how long to wait " +
      "if the server names no time (retry); true waits 3s. When absent, the stream is not requested again",
  ),
  token: z.xor([jsonSource, textSource]).optional().describe(
    "Place of the token in a model server's message: { json: choices[0].delta.content }, or { pattern: … }; " +
      "a message without that place has no token",
  ),
};

/** The method that a gRPC call names, written as `package.Service/Method`, as in the path of its request. */
export const grpcMethod = z.string().max(LIMITS.name.most).regex(
  /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\/[A-Za-z_]\w*$/,
  {
    error: ({ input }) =>
      `Cannot call ${
        quotedOpenly(input)
      }: write package.Service/Method, such as greeter.Greeter/SayHello`,
  },
);

export const COMPRESSIONS = ["gzip"] as const;

/** The keys that make a request a gRPC call. */
const callFields = (files: Files) => ({
  grpc: grpcMethod.optional().describe(
    "Method that is called over gRPC, such as greeter.Greeter/SayHello",
  ),
  proto: contentOf((path) => files.proto(path)).optional().describe(
    "The .proto file that defines the method, relative to the experiment file; " +
      "when absent, the server's reflection is used",
  ),
  message: z.json().optional().describe(
    "The message to send, as JSON; a message without fields when absent",
  ),
  messages: z.array(z.json()).max(LIMITS.grpcMessages.most).optional().describe(
    "The messages to send as a stream, as JSON",
  ),
  compress: z.enum(COMPRESSIONS).optional().describe(
    "gzip: sends messages compressed, and accepts compressed ones; neither when absent",
  ),
});

/** The keys of a request, to be joined with those of the scenario or step that contains it. */
export const requestFields = (files: Files) => ({
  ...paths as Record<Method, z.ZodOptional<z.ZodString>>,
  headers: headers.describe("Header fields of the request"),
  body: z.union([
    z.string().superRefine(checkBody),
    z.strictObject({ file: contentOf((path) => textOrOctets(path, files.octets(path))) })
      .transform(({ file }) => file),
  ]).optional().describe("Body, as text, or from a file: { file: ./big.json }"),
  json: z.json().superRefine((json, context) => checkBody(JSON.stringify(json), context))
    .optional().describe("Body, as JSON; sets content-type"),
  form: formSpec.superRefine((form, context) => checkBody(urlEncoded(form), context))
    .optional().describe(
      "Body, as the fields of a form; a list sends its field several times; sets content-type",
    ),
  multipart: multipartSpec(files).optional().describe(
    "Body, as a multipart form, with files: { file: ./photo.jpg, type: image/jpeg }; sets content-type",
  ),
  websocket: path.optional().describe("Path of the WebSocket to open (RFC 6455)"),
  expect: expectationOrAnswer.prefault({}).describe(
    "Expected response; for a WebSocket also echo, push or order, short for { message: echo } and so on",
  ),
  ...streamFields,
  ...callFields(files),
  ...socketFields,
  before: hookName.optional().describe("Function of a script that changes the request"),
  after: hookName.optional().describe("Function of a script that reads the response"),
});

const STEP_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_ /:{}-]{0,79}$/u;

/** Name of a request in a mix or flow. */
export const stepName = z.string().regex(STEP_NAME, {
  error: ({ input }) =>
    `Cannot use ${quotedOpenly(input)} as the name of a request: ` +
    "write at most 80 letters, digits, spaces and _ / : { } -",
}).optional().describe("Name of the request's figures: its method and path when absent");

/** A request as in the file: a method with its path, header fields, body and so on. */
export type RequestFields = z.output<z.ZodObject<ReturnType<typeof requestFields>>>;

/** Adds an issue for each conflict between parts of the request. */
export function checkRequest(
  request: Partial<RequestFields>,
  context: z.core.$RefinementCtx,
): void {
  const misspelt = context.issues.some(({ code }) => code === "unrecognized_keys");
  for (const { path, message } of contradictions(request)) {
    if (path.length > 0 || !misspelt) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  }
}

function contradictions(request: Partial<RequestFields>): Conflict[] {
  const found: Conflict[] = [];
  found.push(...callContradictions(request));
  if (request.grpc !== undefined) return found;
  const given: string[] = [
    ...methodsOf(request),
    ...request.websocket === undefined ? [] : ["websocket"],
  ];
  if (given.length === 0) {
    const choices = METHODS.join(", ");
    const message =
      `Cannot send a request without a method: write one of ${choices} with a path, as in get: /static`;
    found.push({ path: [], message });
  }
  if (given.length > 1) {
    const message = `Cannot send one request with two methods: ${given.join(" and ")} are given`;
    found.push({ path: [given[1]], message });
  }
  const [form] = FORMS.filter((key) => request[key] !== undefined);
  if (form !== undefined && BODILESS.includes(methodsOf(request)[0])) {
    const message = `Cannot send a form with ${given[0]}: write its fields into the path, ` +
      "as in /search?q=tea, or write post";
    found.push({ path: [form], message });
  }
  const [first, ...bodies] = BODIES
    .filter((key) => request[key] !== undefined);
  found.push(...streamContradictions(request), ...socketContradictions(request));
  for (const key of bodies) {
    found.push({ path: [key], message: `Cannot send both ${first} and ${key}: leave one out` });
  }
  if (request.multipart !== undefined && hasType(request.headers ?? {})) {
    const message =
      "Cannot send a multipart form with your own content-type: Plateau writes one that names the boundary";
    found.push({ path: ["headers"], message });
  }
  return found;
}

function methodsOf(request: Partial<RequestFields>): Method[] {
  return METHODS.filter((method) => request[method] !== undefined);
}

export function wireRequest(spec: RequestFields): WireRequest {
  if (spec.grpc !== undefined) return callRequest(spec.grpc, spec);
  if (spec.websocket !== undefined) return socketWire(spec, spec.headers);
  const [method] = methodsOf(spec);
  const { headers } = spec;
  const { type, body } = bodyOf(spec);
  const isTyped = hasType(headers);
  const accepts = spec.stream === "events" && !hasField(headers, "accept");
  return {
    method: method.toUpperCase(),
    path: spec[method] ?? "/",
    headers: {
      ...headers,
      ...accepts && { accept: EVENT_STREAM },
      ...type !== null && !isTyped && { "content-type": type },
    },
    body,
  };
}

/** The wire form of a gRPC call. Its messages are encoded later, when their types are known. */
function callRequest(grpc: string, spec: RequestFields): WireRequest {
  const { headers, compress, message = {}, messages = [message] } = spec;
  const usual = {
    "content-type": "application/grpc",
    te: "trailers",
    ...compress && { "grpc-encoding": compress, "grpc-accept-encoding": `identity,${compress}` },
  };
  const own = Object.entries(usual).filter(([name]) => !hasField(headers, name));
  return {
    method: "POST",
    path: `/${grpc}`,
    headers: { ...Object.fromEntries(own), ...headers },
    body: messages.map((message) => ({ message: JSON.stringify(message) })),
  };
}

function hasType(headers: RequestFields["headers"]): boolean {
  return hasField(headers, "content-type");
}

function hasField(headers: RequestFields["headers"], field: string): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === field);
}

/** The body with its content-type. The type is null if only the author of the request can know it. */
function bodyOf({ body, json, form, multipart }: RequestFields): {
  type: string | null;
  body: WireRequest["body"];
} {
  if (multipart !== undefined) return multipartBody(multipart);
  if (json !== undefined) return { type: "application/json", body: JSON.stringify(json) };
  if (form === undefined) {
    return { type: null, body: typeof body === "object" ? [body.part] : body ?? null };
  }
  return { type: "application/x-www-form-urlencoded", body: urlEncoded(form) };
}

function urlEncoded(form: z.output<typeof formSpec>): string {
  return formText(
    Object.entries(form).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, String(one)] as const)
    ),
  );
}

/** The statuses that are expected by default: 2xx and 3xx. */
const USUAL_STATUSES = Array.from({ length: 200 }, (_, index) => 200 + index);

export function expectedStatuses({ status }: Expectation): readonly number[] {
  if (status === undefined) return USUAL_STATUSES;
  return typeof status === "number" ? [status] : status;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * How the response differs from the expectation, without secrets; null if it does not differ. Call this within
 * `withEngine`, which loads the regular-expression engine if a pattern needs it.
 */
export function responseProblem(expect: Expectation, response: ReceivedResponse): string | null {
  const { status, body } = response;
  if (!expectedStatuses(expect).includes(status)) {
    const right = expect.status === undefined
      ? "2xx or 3xx"
      : expectedStatuses(expect).join(" or ");
    return `expected status ${right}, got ${responseText(response)}`;
  }
  const text = textOf(body);
  if (expect.body !== undefined && text !== expect.body) {
    return differenceOf(withoutSecrets(expect.body), withoutSecrets(text));
  }
  if (expect.contains !== undefined && !text.includes(expect.contains)) {
    return `expected a body that contains ${excerpt(expect.contains)}, got ${excerpt(text)}`;
  }
  if (expect.matches !== undefined && !matchFor(expect.matches)(body)) {
    const why = whyUnseen(body.length) ?? `got ${excerpt(text)}`;
    return `expected a body that matches ${excerpt(expect.matches)}, ${why}`;
  }
  if (expect.json === undefined || isExpectedJson(jsonIn(body), expect.json)) return null;
  const why = isWithin("jsonBody", body.length)
    ? `got ${excerpt(text)}`
    : beyond("jsonBody", body.length);
  return `expected JSON with ${excerpt(JSON.stringify(expect.json))}, ${why}`;
}

/** The response, as quoted in messages. */
export function responseText({ status, body }: ReceivedResponse): string {
  return `${status} with body ${excerpt(textOf(body))}`;
}

function textOf(body: ReceivedResponse["body"]): string {
  return new TextDecoder().decode(body);
}

const EXCERPT_CHARS = 200;
/** Number of matching characters that are shown before the first difference. */
const ALIKE_CHARS = 60;

function differenceOf(expected: string, got: string): string {
  if (Math.max(expected.length, got.length) <= EXCERPT_CHARS) {
    return `expected body ${excerpt(expected)}, got ${excerpt(got)}`;
  }
  let at = 0;
  while (at < expected.length && expected[at] === got[at]) at++;
  const from = Math.max(0, at - ALIKE_CHARS);
  return `expected body ${excerpt(expected, from)}, got ${excerpt(got, from)}; ` +
    `the bodies differ from character ${at + 1} on`;
}

/**
 * The text from character `from` on, as JSON. A long text is cut, and its whole length is added. Secrets are hidden
 * before the cut, so that no part of a secret remains.
 */
function excerpt(whole: string, from = 0): string {
  const text = withoutSecrets(whole);
  const to = from + EXCERPT_CHARS;
  if (from === 0 && text.length <= to) return JSON.stringify(text);
  const part = `${from > 0 ? "…" : ""}${text.slice(from, to)}${text.length > to ? "…" : ""}`;
  return `${JSON.stringify(part)} (${text.length} characters)`;
}

/** The keys that a gRPC call can't have, each with the reason. */
const BESIDE_CALLS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    METHODS.map((
      method,
    ) => [method, "a gRPC call is always a POST request to the path that grpc names"]),
  ),
  ...Object.fromEntries(
    BODIES.map((body) => [body, "the body of a gRPC call is written as message or messages"]),
  ),
  stream: "the type of the method says whether its response is a stream",
  until: "a gRPC call always ends with its status",
  reconnect: "a stream of gRPC messages cannot be continued from where it stopped",
  websocket: "a gRPC call is not a WebSocket",
  ...Object.fromEntries(SOCKET_KEYS.map((key) => [key, "it belongs to WebSockets"])),
  before: "hooks cannot read gRPC messages",
  after: "hooks cannot read gRPC messages",
};
const OF_CALLS = ["proto", "message", "messages", "compress"] as const;
/** The expectations that gRPC calls can't have, each with a message. */
const NOT_EXPECTED_OF_CALLS: Readonly<Record<string, string>> = {
  status: "Cannot expect a status other than 200 of a gRPC call: write grpcStatus",
  body:
    "Cannot expect a whole body of a gRPC call: contains, json and matches are about its message",
  message: "Cannot expect echo, push, order or a message of a gRPC call: only WebSockets have them",
};
/** Header fields of a gRPC call that Plateau writes itself. */
const FIELDS_OF_CALLS = ["te", "grpc-encoding"];

function callContradictions(request: Partial<RequestFields>): Conflict[] {
  const { grpc, proto, message, messages, expect } = request;
  if (grpc === undefined) {
    const alone = OF_CALLS.filter((key) => request[key] !== undefined).map((key) => ({
      path: [key],
      message: `Cannot use ${key} without a call: write grpc: package.Service/Method`,
    }));
    const why = "Cannot expect a grpcStatus of a request that is not a gRPC call";
    return expect?.grpcStatus === undefined
      ? alone
      : [...alone, { path: ["expect", "grpcStatus"], message: why }];
  }
  const given: Readonly<Record<string, unknown>> = request;
  const found: Conflict[] = Object.entries(BESIDE_CALLS)
    .filter(([key]) => given[key] !== undefined)
    .map(([key, why]) => ({ path: [key], message: `Cannot use ${key} beside grpc: ${why}` }));
  if (message !== undefined && messages !== undefined) {
    const why = "Cannot send both message and messages: leave one out";
    found.push({ path: ["messages"], message: why });
  }
  for (const field of Object.keys(request.headers ?? {})) {
    if (!FIELDS_OF_CALLS.includes(field.toLowerCase())) continue;
    const why = `Cannot send ${field} with a gRPC call: Plateau sends that field itself`;
    found.push({ path: ["headers", field], message: why });
  }
  for (const [key, why] of Object.entries(NOT_EXPECTED_OF_CALLS)) {
    if (Reflect.get(Object(expect), key) === undefined) continue;
    found.push({ path: ["expect", key], message: why });
  }
  // A .proto file that can't be read has been reported by the schema of `proto`.
  const isRead = typeof proto?.conflicts === "function";
  return isRead ? [...found, ...proto.conflicts({ ...request, grpc })] : found;
}

interface StreamedRequest {
  readonly grpc?: string;
  readonly after?: string;
  readonly stream?: StreamKind;
  readonly until?: unknown;
  readonly hold?: unknown;
  readonly reconnect?: unknown;
  readonly token?: unknown;
  readonly head?: unknown;
  readonly capture?: Readonly<Record<string, unknown>>;
  readonly expect?: { readonly body?: string };
  readonly websocket?: unknown;
}

const STREAM_KEYS = ["until", "hold", "reconnect", "token"] as const;

/** The contradictions between a stream and the other keys of the request. */
function streamContradictions(request: StreamedRequest): Conflict[] {
  const { stream, head, capture = {}, expect, after, reconnect, grpc } = request;
  if (grpc !== undefined) return [];
  if (stream === undefined) {
    const keys = request.websocket === undefined ? STREAM_KEYS : [];
    return keys.filter((key) => request[key] !== undefined)
      .map((key) => ({
        path: [key],
        message: `Cannot use ${key} without a stream: write stream: events, lines or json-lines`,
      }));
  }
  const found: Conflict[] = [];
  if (reconnect !== undefined && stream !== "events") {
    const message =
      "Cannot request lines again from where they stopped: only events have identifiers";
    found.push({ path: ["reconnect"], message });
  }
  if (head !== undefined) {
    found.push({
      path: ["stream"],
      message: "Cannot read a stream from the response to a HEAD request, which has no body",
    });
  }
  if (expect?.body !== undefined) {
    const message =
      "Cannot expect a whole body of a stream: write contains, json or matches, which must hold for " +
      "at least one of its messages";
    found.push({ path: ["expect", "body"], message });
  }
  const [captured] = Object.keys(capture);
  if (captured !== undefined) {
    const message = "Cannot capture a value from a stream: its messages are not kept";
    found.push({ path: ["capture", captured], message });
  }
  if (after !== undefined) {
    const message = "Cannot use after with a stream: its messages are not kept";
    found.push({ path: ["after"], message });
  }
  return found;
}

/** The settings that a scenario with streams or gRPC calls can't have, each with a message. */
export const STREAM_CONFLICTS = {
  pipeline:
    "Cannot have several requests in flight on a connection of HTTP/1.1 whose responses are " +
    "streams: use http2, or one request at a time",
  follow:
    "Cannot follow redirects of requests whose responses are streams: write the final address instead",
  calls: "Cannot follow redirects of gRPC calls, which have none: leave out follow",
} as const;
