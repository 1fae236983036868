/** The flags of `plateau bench`. */
import { METHODS } from "../../base/http/request.ts";
import * as z from "zod";
import { messageOf, type Problem } from "../../base/errors.ts";
import { hostIn, passwordsIn } from "../../base/secret_fields.ts";
import { hops } from "../../scenarios/request/follow.ts";
import * as load from "../../scenarios/load/load_shape.ts";
import { schemesOf } from "../../base/target/access.ts";
import { noTlsToResume, OPTION_FLAGS, optionConflicts } from "../../base/load_options.ts";
import { checkAbortRules } from "../../scenarios/load/abort_rules.ts";
import type { Load } from "../../scenarios/load/load.ts";
import {
  COMPRESSIONS,
  grpcMethod,
  headerName,
  headerValue,
  hold,
  reconnectionTime,
  status,
  STREAM_CONFLICTS,
  streamKind,
  until,
} from "../../scenarios/request/request.ts";
import { type Json, parseJson } from "../../base/yaml/json_text.ts";
import {
  type CommandParts,
  type ParsedValues,
  type RawArguments,
  under,
} from "../command_line/command.ts";
import { fleetConflicts, fleetFlags } from "./fleet_flags.ts";
import { accessFlags, accessProblems } from "./access_flags.ts";
import { formPart } from "../../scenarios/request/form_part.ts";
import { quietFlag, seedFlag, strictFlag, thresholdFlags } from "./flags.ts";
import { replayConflicts, replayFlags } from "./replay_flags.ts";
import { outputConflicts, outputFlags } from "./output_flags.ts";
import { answer, every, SOCKET_CONFLICTS } from "../../scenarios/request/websocket.ts";
import { integerText } from "../../base/quantity.ts";
import { nameIn, redisFlag } from "./values.ts";
import { readBytesSync } from "../../base/bounded_file.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** Parses the URL of a server to measure. @param protocols Allowed protocols, each with its colon. */
function measurable(protocols: readonly string[]): z.ZodType<URL> {
  return z.string({
    error: ({ input }) =>
      input === undefined ? "Cannot measure without a URL: write http://host:port/path" : undefined,
  }).transform((text, context) => {
    const url = URL.parse(text);
    const wrong = wrongUrl(url, text, protocols);
    if (url && wrong === null) return url;
    const isKnown = passwordsIn(text).length > 0;
    const isReadable = url !== null && text.includes("://") && (!hasUser(url) || isKnown);
    const shown = isReadable || !/@|:\/\//.test(text) ? text : hostIn(text);
    context.addIssue(`Cannot measure ${quotedOpenly(shown)}: ${wrong}`);
    return z.NEVER;
  });
}

const HTTP = ["http:", "https:"];
/** The operand of commands that send single HTTP requests to a server. */
export const httpAddress = {
  operand: "<URL>",
  about: "http://host:port/path, or https",
  schema: measurable(HTTP),
};

function wrongUrl(
  url: URL | null,
  text: string,
  protocols: readonly string[],
): string | null {
  if (!/:\/\/|@/.test(text) && URL.canParse(`http://${text}`)) return `write http://${text}`;
  if (url === null || !text.includes("://")) return `write http://host:port/path`;
  if (!protocols.includes(url.protocol)) {
    if (isSocketUrl(url)) return "only plateau bench and experiment files open WebSockets";
    return `its protocol is ${url.protocol.slice(0, -1)}, not http`;
  }
  return hasUser(url)
    ? "leave out its user and password, and send an authorization header with --header"
    : null;
}

function hasUser({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** Parses a header field: `name: value`. */
const header = z.string().transform((text, context): [name: string, value: string] => {
  const [name, ...value] = text.split(":");
  if (value.length > 0) return [name.trim(), value.join(":").trim()];
  context.addIssue(`Cannot read ${quotedOpenly(nameIn(text))} as a header: write "name: value"`);
  return z.NEVER;
}).pipe(z.tuple([headerName, headerValue]));

/** Parses one or more status codes: `200,204`. */
const statuses = z.string().transform((text) => text.split(","))
  .pipe(z.array(integerText(status)));

/** Takes the text itself or, if it is `@FILE`, the content of that file. */
const textOrFile = z.string().transform((text, context) => {
  if (!text.startsWith("@")) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      readBytesSync(text.slice(1), "body"),
    );
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no such file; without the @, the text itself is sent"
      : messageOf(error);
    context.addIssue(`Cannot read ${text.slice(1)} as text: ${why}`);
    return z.NEVER;
  }
});

const jsonText = z.string().transform((text, context): Json => {
  try {
    return parseJson(text) as Json;
  } catch (error) {
    context.addIssue(`Cannot read this as JSON: ${messageOf(error)}`);
    return z.NEVER;
  }
});

/**
 * Flags of options that are passed on to the load generator. `timeout`, `keepAlive` and `abortOn` are listed separately
 * below; the rest concern connections.
 */
const { timeout, keepAlive, abortOn, ...connectionFlags } = OPTION_FLAGS;

const loadFlags = {
  connections: {
    flags: "-c, --connections <N>",
    about: "Connections in total (default: 50); with --phases, concurrent virtual users " +
      "(default: 10000)",
    schema: integerText(load.connections).optional(),
  },
  duration: {
    flags: "-d, --duration <D>",
    about: "Duration of the load, such as 500ms, 30s or 5m (default: 10s)",
    schema: load.duration.optional(),
  },
  requests: {
    flags: "-n, --requests <N>",
    about: "Ends the load after this many requests instead of after a duration",
    schema: integerText(load.requests).optional(),
  },
  rate: {
    flags: "-r, --rate <R>",
    about:
      "Open loop: requests are due at this rate, such as 1000/s, even if all connections are busy",
    schema: load.rate.optional(),
  },
  phases: {
    flags: "--phases <D@R,…>",
    about:
      'Open loop: virtual users arrive, each on a new connection: "30s@10/s,60s@50/s..200/s" is 30 s ' +
      "at 10/s, then a ramp of 60 s from 50/s to 200/s; 10s@0/s is a pause",
    schema: load.phases.optional(),
  },
  arrivals: {
    flags: "--arrivals <uniform|poisson>",
    about: "Arrival process of an open loop: uniform is evenly spaced, poisson has random gaps, " +
      "as between independent users (default: uniform)",
    schema: load.arrivals.optional(),
  },
  workers: {
    flags: "-w, --workers <N>",
    about: "Worker threads (default: chosen from the number of cores)",
    schema: integerText(load.workers).optional(),
  },
  timeout,
  pipeline: {
    flags: "--pipeline <N>",
    about: "Requests in flight per connection; with --http2, concurrent streams per connection",
    preset: "1",
    schema: integerText(load.pipeline),
  },
  keepAlive,
} satisfies CommandParts;

const requestFlags = {
  method: {
    flags: "-m, --method <M>",
    about: `HTTP method: ${METHODS.join(", ")}`,
    preset: "get",
    schema: z.string().toLowerCase().pipe(z.enum(METHODS)),
  },
  requestTarget: {
    flags: "--request-target <PATH>",
    about: "Path and query to send as they are, instead of the URL's, such as /a/../b",
    schema: z.string().optional(),
  },
  header: {
    flags: '-H, --header <"k: v">',
    about: "Request header; may be repeated",
    repeatable: true,
    schema: z.array(header).default([]),
  },
  body: {
    flags: "-b, --body <TEXT|@FILE>",
    about: "Request body: a text, or @FILE; its content-type is set with --header",
    schema: textOrFile.optional(),
  },
  follow: {
    flags: "--follow <N>",
    about: "Follows up to N redirects of each request, to the same host (default: none)",
    schema: integerText(hops).optional(),
  },
  stream: {
    flags: "--stream <events|lines|json-lines>",
    about: "Reads responses as streams of messages: events of text/event-stream, lines, or lines " +
      "of JSON (default: as a whole)",
    schema: streamKind.optional(),
  },
  until: {
    flags: "--until <TEXT>",
    about:
      "Data of the message that ends a stream, such as [DONE] (default: a stream ends with its " +
      "response)",
    schema: until.optional(),
  },
  hold: {
    flags: "--hold <D>",
    about: "Leaves each stream or WebSocket after this time (default: when it ends)",
    schema: hold.optional(),
  },
  reconnect: {
    flags: "--reconnect <D>",
    about:
      "Requests a stream of events again when it ends or is cut, as EventSource does: after D, or after the " +
      "time that the server names (default: never)",
    schema: reconnectionTime.optional(),
  },
  send: {
    flags: "--send <TEXT>",
    about: "Message to send on a WebSocket; {{ n }} is its number (default: none)",
    schema: z.string().optional(),
  },
  every: {
    flags: "--every <D>",
    about: "Time between two messages on a WebSocket (default: only one message is sent)",
    schema: every.optional(),
  },
  expect: {
    flags: "--expect <echo|order|push>",
    about:
      "What the server sends on a WebSocket. echo: each message back; order: one message for each " +
      "message; push: messages by itself (default: echo with --send, else push)",
    schema: answer.optional(),
  },
  token: {
    flags: "--token <PLACE>",
    about: "Path of the token in the JSON of a model server's message, such as " +
      "choices[0].delta.content",
    schema: z.string().optional(),
  },
  grpc: {
    flags: "--grpc <SERVICE/METHOD>",
    about: "Calls a method over gRPC, such as greeter.Greeter/SayHello (default: plain HTTP)",
    schema: grpcMethod.optional(),
  },
  proto: {
    flags: "--proto <FILE>",
    about: "The .proto file that defines the gRPC method (default: the server's reflection)",
    schema: z.string().min(1).optional(),
  },
  message: {
    flags: "--message <JSON|@FILE>",
    about: "Message of the gRPC call, as JSON; may be repeated for a stream of messages",
    repeatable: true,
    schema: z.array(textOrFile.pipe(jsonText)).default([]),
  },
  compress: {
    flags: "--compress <gzip>",
    about: "Compresses gRPC messages, and accepts compressed ones (default: neither)",
    schema: z.enum(COMPRESSIONS).optional(),
  },
  form: {
    flags: "-F, --form <NAME=VALUE|NAME=@FILE>",
    about: "Part of a multipart form, as in curl; may be repeated",
    repeatable: true,
    schema: z.array(formPart).default([]),
  },
} satisfies CommandParts;

export const optionFlags = {
  ...connectionFlags,
  abortOn: { ...abortOn, schema: abortOn.schema.superRefine(checkAbortRules) },
};

const waitFlag = {
  wait: {
    flags: "--wait <D>",
    about: "Waits up to this long for the server to accept a connection (default: no wait)",
    schema: load.duration.optional(),
  },
} satisfies CommandParts;

const checkFlags = {
  expectStatus: {
    flags: "--expect-status <N>",
    about: "Expected status, or several: 200,204; exit code 1 if a response has another status",
    schema: statuses.optional(),
  },
  expectBody: {
    flags: "--expect-body <TEXT>",
    about: "Expected body, as a whole; exit code 1 if a response has another body",
    schema: z.string().optional(),
  },
  ...thresholdFlags,
} satisfies CommandParts;

const resultFlags = {
  ...outputFlags,
  log: {
    flags: "--log <FILE>",
    about:
      "Request log as CSV, a line per request: code;start;end;connection, in nanoseconds; code 0 " +
      "is a failed request",
    schema: z.string().min(1).refine(
      (path) => path !== "-",
      "Cannot write the request log to standard output: name a file",
    )
      .optional(),
  },
  interval: {
    flags: "--interval <D>",
    about: "Length of an interval of the timeline",
    preset: load.DEFAULT_INTERVAL,
    schema: load.interval,
  },
  ...strictFlag,
  ...quietFlag,
} satisfies CommandParts;

const otherFlags = {
  driver: {
    flags: "--driver <auto|epoll|tcp>",
    about: "Transport: epoll is the fastest (Linux), tcp works everywhere, auto takes " +
      "the faster one that works",
    preset: "auto",
    schema: z.enum(["auto", "epoll", "tcp"]),
  },
  like: {
    flags: "--like <COMMAND>",
    about: "Runs a command line of wrk, wrk2, oha, hey, ab, autocannon or curl, such as " +
      "'wrk -c 100 -d 30s http://127.0.0.1/'. Explicit flags take precedence",
    schema: z.string().optional(),
  },
  ...seedFlag,
} satisfies CommandParts;

const fromOthersFlags = {
  ...fleetFlags,
  ...redisFlag,
  redis: {
    ...redisFlag.redis,
    about: "Redis in which the agents are registered; also set by REDIS_URL",
  },
} satisfies CommandParts;

export const benchParts = {
  url: {
    operand: "<URL>",
    about: "http://host:port/path, or https; ws or wss for WebSockets",
    schema: measurable([...HTTP, "ws:", "wss:"]),
  },
  ...under("Load:", loadFlags),
  ...under("Replay:", replayFlags),
  ...under("Request:", requestFlags),
  ...under("Connection to the server:", { ...optionFlags, ...accessFlags, ...waitFlag }),
  ...under("Checks:", checkFlags),
  ...under("Results:", resultFlags),
  ...under("Load from other machines:", fromOthersFlags),
  ...under("Other:", otherFlags),
} satisfies CommandParts;

export type BenchValues = ParsedValues<typeof benchParts>;

export function benchConflicts(written: RawArguments): Problem[] {
  const given = asSent(written);
  return [
    ...callConflicts(written),
    ...loadConflicts(given),
    ...optionProblems(given),
    ...replayConflicts(given),
    ...followConflicts(given),
    ...formConflicts(given),
    ...streamConflicts(given),
    ...socketConflicts(given),
    ...accessProblems(given),
    ...fleetConflicts(given),
    ...outputConflicts(
      given,
      typeof given.log === "string" ? [{ path: given.log, by: "--log" }] : [],
    ),
  ];
}

/** Adds `--http2` to a gRPC call, which always uses HTTP/2. */
export function asSent(given: RawArguments): RawArguments {
  return given.grpc === undefined ? given : { ...given, http2: "true" };
}

/** Whether HTTP/2 is used, as it always is for a gRPC call. */
export function isHttp2(
  { http2 = false, grpc }: Partial<Pick<BenchValues, "http2" | "grpc">>,
): boolean {
  return http2 || grpc !== undefined;
}

/** Flags that can't be combined with a gRPC call, each with the reason. */
const BESIDE_GRPC: Readonly<Record<string, readonly [flag: string, why: string]>> = {
  method: ["--method", "gRPC always sends post"],
  requestTarget: ["--request-target", "the gRPC method determines the path"],
  body: ["--body", "the message is the body"],
  form: ["--form", "the message is the body"],
  follow: ["--follow", "gRPC has no redirects"],
  stream: ["--stream", "the type of the gRPC method says whether the response is a stream"],
  until: ["--until", "the call ends with its status"],
  reconnect: [
    "--reconnect",
    "only in a stream of events do messages have identifiers with which it can be resumed",
  ],
  replay: ["--replay", "the log determines what is sent"],
  expectStatus: ["--expect-status", "a grpc-status other than OK already counts as wrong"],
  expectBody: ["--expect-body", "the response body is a protobuf message"],
};

export function callConflicts(given: RawArguments): Problem[] {
  const isCall = given.grpc !== undefined;
  if (!isCall) {
    return ["proto", "message", "compress"].filter((flag) => given[flag] !== undefined)
      .map((flag) => ({
        place: `--${flag}`,
        message: "Cannot use this without a gRPC call",
        fix: "add --grpc package.Service/Method",
      }));
  }
  const path = URL.parse(String(given.url));
  const hasPath = path !== null && path.pathname + path.search !== "/";
  return [
    ...Object.entries(BESIDE_GRPC).filter(([key]) =>
      given[key] !== undefined && !(key === "method" && given[key] === "get")
    ).map(([, [place, why]]) => ({
      place,
      message: `Cannot use this with a gRPC call: ${why}`,
      fix: "leave it out",
    })),
    ...hasPath
      ? [{
        place: "<URL>",
        message: "Cannot call gRPC at the path of the URL: the gRPC method determines the path",
        fix: "write http://host:port",
      }]
      : [],
  ];
}

/**
 * Problems of --follow: following a redirect sends a request that `--requests` does not count, and that must not
 * overtake pipelined requests.
 */
function followConflicts({ follow, requests, pipeline = "1" }: RawArguments): Problem[] {
  if (follow === undefined) return [];
  const beside = [
    ...requests === undefined ? [] : ["--requests"],
    ...pipeline === "1" ? [] : ["--pipeline"],
  ];
  return beside.map((place) => ({
    place,
    message: `Cannot use ${place} when redirects are followed`,
    fix: `leave out --follow or ${place}`,
  }));
}

const SOCKET_FLAGS = ["send", "every", "expect"] as const;

/** Problems of WebSocket flags, which need a WebSocket URL, and of the flags that such a URL excludes. */
function socketConflicts(given: RawArguments): Problem[] {
  if (!isSocketUrl(given.url)) {
    return SOCKET_FLAGS.filter((flag) => given[flag] !== undefined).map((flag) => ({
      place: `--${flag}`,
      message: "Cannot use this without a WebSocket",
      fix: "write ws://host:port/path, or wss",
    }));
  }
  const { every, send, http2, pipeline = "1", follow, replay, requests, hold } = given;
  const wrong: [isWrong: boolean, place: string, message: string, fix: string][] = [
    [http2 !== undefined, "--http2", "Cannot open a WebSocket over HTTP/2", "leave it out"],
    [pipeline !== "1", "--pipeline", SOCKET_CONFLICTS.pipeline, "leave it out"],
    [follow !== undefined, "--follow", STREAM_CONFLICTS.follow, "leave it out"],
    [replay !== undefined, "--replay", "Cannot replay a log on WebSockets", "write http or https"],
    [
      requests !== undefined && hold === undefined,
      "--requests",
      "Cannot end after a number of requests, because WebSockets stay open without --hold",
      "add --hold, or use --duration",
    ],
    [
      every !== undefined && send === undefined,
      "--every",
      "Cannot use this without a message to send",
      "add --send",
    ],
  ];
  return wrong.filter(([isWrong]) => isWrong)
    .map(([, place, message, fix]) => ({ place, message, fix }));
}

function isSocketUrl(url: unknown): boolean {
  return /^wss?:/i.test(String(url));
}

/**
 * Problems of streams: they exclude `--follow` and, because HTTP/1.1 can only read one stream at a time on a
 * connection, `--pipeline` without `--http2`. `--until`, `--reconnect`, `--token` and (without a WebSocket) `--hold`
 * need `--stream`.
 */
export function streamConflicts(given: RawArguments): Problem[] {
  const { stream, pipeline = "1", http2, follow, grpc } = given;
  if (grpc !== undefined) return [];
  if (stream === undefined) {
    const flags = ["until", "reconnect", "token", ...isSocketUrl(given.url) ? [] : ["hold"]];
    return flags.filter((flag) => given[flag] !== undefined).map((flag) => ({
      place: `--${flag}`,
      message: "Cannot use this without a stream",
      fix: "add --stream events, --stream lines or --stream json-lines",
    }));
  }
  const problems = [];
  if (pipeline !== "1" && http2 === undefined) {
    problems.push({ place: "--pipeline", message: STREAM_CONFLICTS.pipeline, fix: "add --http2" });
  }
  if (follow !== undefined) {
    problems.push({ place: "--follow", message: STREAM_CONFLICTS.follow, fix: "leave it out" });
  }
  return problems;
}

function loadConflicts(given: RawArguments): Problem[] {
  const kind = kindOf(given);
  if (kind === "closed" && given.duration !== undefined && given.requests !== undefined) {
    const message = "Cannot use both --duration and --requests";
    return [{ place: "--requests", message, fix: "leave one out" }];
  }
  if (given.keepAlive !== undefined && (given.pipeline ?? "1") !== "1") {
    const message = "Cannot pipeline requests on a connection that closes after each response";
    return [{ place: "--pipeline", message, fix: "leave out --pipeline or --no-keepalive" }];
  }
  const isThere: RawArguments = {
    ...given,
    pipeline: given.pipeline === "1" ? undefined : given.pipeline,
  };
  return Object.entries(load.LOAD_CONFLICTS[kind])
    .filter(([flag]) => isThere[flag] !== undefined)
    .map(([flag, why]) => ({ place: `--${flag}`, message: `Cannot use this here: ${why}` }));
}

/** Problems of load options that other flags exclude. */
export function optionProblems(given: RawArguments): Problem[] {
  const { keepAlive, pipeline = "1", http2 } = given;
  const conflicts = optionConflicts((setting) => {
    if (setting === "keepAlive") return keepAlive !== undefined;
    if (setting === "pipeline") return pipeline !== "1" && http2 === undefined;
    return given[setting] !== undefined;
  });
  const { secure, isSecure } = schemesOf(given.url);
  return [
    ...given.tls === undefined || isSecure ? [] : [{ place: "--tls", ...noTlsToResume(secure) }],
    ...conflicts.map(({ option, rival, message }) => {
      const place = OPTION_FLAGS[option].flags.split(" ")[0];
      const other = rival === "keepAlive" ? "--no-keepalive" : `--${rival}`;
      return { place, message, fix: `leave out ${place} or ${other}` };
    }),
  ];
}

function kindOf(given: RawArguments): Load["kind"] {
  if (given.phases !== undefined) return "phases";
  return given.rate === undefined ? "closed" : "rate";
}

function formConflicts({ form, body, method }: RawArguments): Problem[] {
  if (form === undefined) return [];
  if (body !== undefined) {
    const message = "Cannot send both a body and a form";
    return [{ place: "--form", message, fix: "leave one out" }];
  }
  const message = "Cannot send a form with get";
  return method === "get" ? [{ place: "--form", message, fix: "add -m post" }] : [];
}
