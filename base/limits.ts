/**
 * Limits on everything that comes from outside: files, responses, jobs, viewers of a page. Nothing from outside decides
 * how much of this program's memory or time it takes. docs/limits.md documents this table; a test compares the two.
 */
import { type Problem, UserError } from "./errors.ts";

interface LimitSpec {
  /** Names the limited thing, as the subject of a sentence. */
  readonly what: string;
  readonly most: number;
  /** The unit that is counted; bytes are shown as kB, MB and GB. */
  readonly unit: string;
}

const KB = 1_000;
const MB = 1_000_000;
const GB = 1_000_000_000;

/** All limits. Each is checked before the limited thing takes memory. */
export const LIMITS = {
  // Files
  experimentFile: { what: "an experiment file", most: 1 * MB, unit: "bytes" },
  foreignFile: { what: "a file of another tool", most: 64 * MB, unit: "bytes" },
  textFile: { what: "a file that an experiment names", most: 16 * MB, unit: "bytes" },
  namedFiles: {
    what: "the data that an experiment reads from files",
    most: 256 * MB,
    unit: "bytes",
  },
  rememberedFile: {
    what: "a file in which Plateau remembers facts about a machine",
    most: 1 * MB,
    unit: "bytes",
  },
  certificates: { what: "a file of certificates", most: 4 * MB, unit: "bytes" },
  resultFile: { what: "a file of results", most: 512 * MB, unit: "bytes" },
  plannedResults: { what: "the expected results of an experiment", most: 400 * MB, unit: "bytes" },
  rows: { what: "a table of values", most: 100_000, unit: "rows" },
  agents: { what: "a fleet", most: 10_000, unit: "agents" },
  agentWorkers: { what: "an agent", most: 1_024, unit: "workers" },
  agentText: { what: "an agent's description of itself", most: 256 * KB, unit: "bytes" },
  fleetParts: { what: "a message of an agent", most: 100_000, unit: "intervals" },
  fleetBundles: {
    what: "an agent",
    most: 1_000,
    unit: "messages that wait for an earlier message",
  },
  fleetWorkers: { what: "a fleet", most: 100_000, unit: "workers" },
  liveConnections: { what: "a live page", most: 64, unit: "connections" },
  liveReaders: { what: "a live page", most: 16, unit: "readers" },
  liveHead: { what: "the head of a request to a live page", most: 16 * KB, unit: "bytes" },
  toolRequest: { what: "a message to plateau mcp", most: 1 * MB, unit: "characters" },
  toolResult: { what: "the figures that plateau mcp sends", most: 16 * MB, unit: "bytes" },
  liveReceipt: { what: "the body of a request to a live page", most: 64, unit: "bytes" },
  csvRow: { what: "a line of a table of values or of a replayed log", most: 1 * MB, unit: "bytes" },
  // Texts in files
  yamlTokens: { what: "a YAML text", most: 200_000, unit: "tokens" },
  yamlAliases: { what: "a YAML text", most: 1_000, unit: "anchors and aliases" },
  jsonValues: { what: "a JSON text", most: 5_000_000, unit: "values" },
  nesting: { what: "a YAML, JSON or XML text", most: 100, unit: "levels of nesting" },
  problems: { what: "a list of error messages", most: 100, unit: "lines" },
  problemText: { what: "a line of an error message", most: 2_000, unit: "characters" },
  // Experiments
  sentence: { what: "the text of a claim, threshold or selector", most: 2_000, unit: "characters" },
  name: {
    what: "the name of an experiment, target, scenario or gRPC method",
    most: 200,
    unit: "characters",
  },
  targets: { what: "an experiment", most: 1_000, unit: "targets" },
  scenarios: { what: "an experiment", most: 1_000, unit: "scenarios" },
  steps: { what: "a flow", most: 10_000, unit: "steps" },
  importedSteps: {
    what: "a file of another tool with its loops unrolled",
    most: 10_000,
    unit: "steps",
  },
  importedRounds: {
    what: "a file of another tool",
    most: 10_000,
    unit: "loop iterations and function calls",
  },
  importedText: {
    what: "the experiment made from a file of another tool",
    most: 1_000_000,
    unit: "characters",
  },
  exampleValues: {
    what: "an OpenAPI description",
    most: 500_000,
    unit: "example values",
  },
  stepNames: {
    what: "a scenario",
    most: 51,
    unit: "names of steps (50, and one name for all further steps)",
  },
  factorValues: { what: "a factor", most: 1_000, unit: "values" },
  filledIn: {
    what: "an experiment with its parameters filled in",
    most: 16_000_000,
    unit: "characters",
  },
  cells: { what: "an experiment", most: 10_000, unit: "cells" },
  runs: { what: "an experiment", most: 20_000, unit: "runs" },
  thresholds: { what: "an experiment", most: 1_000, unit: "thresholds" },
  claims: { what: "an experiment", most: 1_000, unit: "claims" },
  scriptMemory: { what: "the memory of a script in a worker", most: 128 * MB, unit: "bytes" },
  scriptReason: { what: "the reason why a call of a script failed", most: 300, unit: "characters" },
  scriptFiles: { what: "a script and its imports", most: 4 * MB, unit: "bytes" },
  scriptData: {
    what: "the data that a script's setup or refresh returns",
    most: 4 * MB,
    unit: "bytes",
  },
  scriptCallMs: { what: "a call of a hook", most: 50, unit: "milliseconds of computing" },
  scriptLines: { what: "the log of a script", most: 100, unit: "lines per worker" },
  // Loads
  connections: { what: "a load", most: 100_000, unit: "connections" },
  parallel: { what: "a page", most: 100, unit: "subresources at a time" },
  pipeline: { what: "a connection", most: 1_000, unit: "requests in flight" },
  requests: { what: "a load", most: 1_000_000_000, unit: "requests" },
  workers: { what: "a load", most: 256, unit: "workers" },
  ratePerSec: { what: "a load", most: 1_000_000, unit: "arrivals per second" },
  phases: { what: "a load", most: 10_000, unit: "phases" },
  replayed: { what: "a replayed log", most: 20_000_000, unit: "requests" },
  runHours: { what: "a run", most: 24, unit: "hours" },
  intervals: { what: "a run", most: 400_000, unit: "intervals" },
  // Requests
  path: { what: "a path", most: 65_536, unit: "characters" },
  fields: { what: "a request", most: 1_000, unit: "header fields" },
  formFields: { what: "a multipart form", most: 1_000, unit: "fields" },
  fieldValue: { what: "a header field of a request", most: 65_536, unit: "characters" },
  body: { what: "the body of a request", most: 64 * MB, unit: "bytes" },
  // Responses of servers
  responseHead: {
    what: "the head, a chunk line or the trailers of a response",
    most: 65_536,
    unit: "bytes",
  },
  interimResponses: { what: "a response", most: 20, unit: "interim responses" },
  http2Replies: {
    what: "an HTTP/2 connection",
    most: 10_000,
    unit: "unread replies to the server's PING and SETTINGS",
  },
  keptBody: { what: "a body that is checked", most: 64 * MB, unit: "bytes" },
  otlpResponse: { what: "a response of an OpenTelemetry collector", most: 64 * KB, unit: "bytes" },
  decodedBody: { what: "a compressed body that is checked", most: 16 * MB, unit: "bytes" },
  keptBodies: {
    what: "a worker's memory for bodies and partly received messages",
    most: 256 * MB,
    unit: "bytes",
  },
  pattern: { what: "a pattern", most: 1_000, unit: "characters" },
  patternSize: { what: "a compiled pattern", most: 1_000, unit: "steps" },
  patternBody: {
    what: "the part of a body that a pattern searches",
    most: 256 * KB,
    unit: "bytes",
  },
  streamMessage: { what: "a message of a stream", most: 1 * MB, unit: "bytes" },
  lastEventId: { what: "the identifier of an event", most: 8 * KB, unit: "bytes" },
  grpcMessage: { what: "a gRPC message", most: 16 * MB, unit: "bytes" },
  protoFiles: { what: "a .proto file with its imports", most: 1_000, unit: "files" },
  grpcMessages: { what: "a gRPC call", most: 10_000, unit: "messages that are sent" },
  messagesInFlight: {
    what: "a WebSocket",
    most: 4_096,
    unit: "messages from the oldest unanswered one on",
  },
  jsonBody: { what: "a JSON body from which values are read", most: 1 * MB, unit: "bytes" },
  captured: { what: "a captured value", most: 64_000, unit: "characters" },
  cookie: { what: "a cookie of a virtual user", most: 8 * KB, unit: "bytes" },
  cookies: { what: "a virtual user", most: 180, unit: "cookies" },
  cookieBytes: { what: "the cookie jar of a virtual user", most: 64 * KB, unit: "bytes" },
  // Reports of targets' runtimes
  runtimeRecord: { what: "a line of a runtime's report", most: 2 * MB, unit: "bytes" },
  runtimeReport: {
    what: "the report of one target process in a run",
    most: 16 * MB,
    unit: "bytes",
  },
  runtimeReports: {
    what: "the reports of all target processes in a run",
    most: 64 * MB,
    unit: "bytes",
  },
  collections: {
    what: "a run",
    most: 100_000,
    unit: "garbage collections listed with their times",
  },
  stalls: { what: "a run", most: 20_000, unit: "stalls listed with their times" },
  // Profiles of targets
  profile: { what: "a profile of a Go program", most: 16 * MB, unit: "bytes" },
  profileParts: {
    what: "a profile of a Go program",
    most: 3_000_000,
    unit: "fields and numbers to read",
  },
  inspectorList: {
    what: "the list of programs that an inspector can debug",
    most: 64 * KB,
    unit: "bytes",
  },
  inspectorMessage: { what: "a profile of V8", most: 64 * MB, unit: "bytes" },
  versionOutput: { what: "the version that a runtime prints", most: 64 * KB, unit: "bytes" },
  toolOutput: { what: "the output of a program that Plateau calls", most: 256 * MB, unit: "bytes" },
  profileCalls: { what: "a profile of a Go program", most: 1_000_000, unit: "calls in its stacks" },
  preflightSecrets: {
    what: "a preflight",
    most: 10_000,
    unit: "secrets found in responses, such as cookies",
  },
  secretText: {
    what: "the text of all secrets of a preflight or a job",
    most: 4_000_000,
    unit: "characters",
  },
  // Results and jobs
  histogramText: { what: "a histogram", most: 400_000, unit: "characters" },
  histogramBytes: { what: "an inflated histogram", most: 250 * KB, unit: "bytes" },
  variants: { what: "a scenario with all its values filled in", most: 1_000_000, unit: "requests" },
  written: {
    what: "a scenario with all its values filled in",
    most: 512_000_000,
    unit: "characters",
  },
  unixPath: { what: "the path of a socket", most: 4_096, unit: "characters" },
  captures: { what: "a request", most: 1_000, unit: "captured values" },
  jobSecrets: { what: "a job of a fleet", most: 1_000, unit: "secrets" },
  jobCertificates: { what: "a job of a fleet", most: 1_000, unit: "certificates" },
  addresses: { what: "a host in a job of a fleet", most: 1_000, unit: "addresses" },
} as const satisfies Record<string, LimitSpec>;

export type LimitName = keyof typeof LIMITS;

export function isWithin(name: LimitName, found: number): boolean {
  return found <= LIMITS[name].most;
}

/** Part of a message, such as `a table of values has 120,000 rows; the limit is 100,000`. */
export function beyond(name: LimitName, found: number): string {
  const { what, unit } = LIMITS[name];
  const most = mostOf(name);
  const size = unit === "bytes" ? sizeText(found) : groupsOfThree(found);
  // The size is not shown if counting stopped one beyond the limit, or if rounding makes it look
  // like the limit.
  const isUnknown = found === oneMoreThan(name) || size === most;
  const [verb, more] = unit === "bytes" ? ["is", "larger"] : ["has", "more"];
  const counted = unit === "bytes" ? "" : ` ${unit}`;
  return isUnknown
    ? `${what} ${verb} ${more} than ${most}${counted}, the limit`
    : `${what} ${verb} ${size}${counted}; the limit is ${most}`;
}

/** The size of something that was counted only until it exceeded the limit. */
export function oneMoreThan(name: LimitName): number {
  return LIMITS[name].most + 1;
}

/** The limit as a reader sees it: `1 MB`, `100,000`. */
export function mostOf(name: LimitName): string {
  const { most, unit } = LIMITS[name];
  return unit === "bytes" ? sizeText(most) : groupsOfThree(most);
}

/**
 * Throws a UserError unless `found` is within the limit.
 * @param place The place of the problem: a file, a flag, a place in a file.
 * @param doing The task that fails, such as `read results.json`.
 */
export function checkLimit(name: LimitName, found: number, place: string, doing: string): void {
  if (isWithin(name, found)) return;
  const problem: Problem = { place, message: `Cannot ${doing}: ${beyond(name, found)}` };
  throw new UserError([problem]);
}

/**
 * Writes a number in groups of three digits: `1,234.5`. `toLocaleString` is not used, because its first call in a
 * process takes 10 ms, and messages with limits in them are made at every start.
 */
export function groupsOfThree(value: number): string {
  const [whole, ...decimals] = String(Number(value.toFixed(3))).split(".");
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...decimals].join(".");
}

/** A size in decimal units, with at most one digit after the point: `3.7 GB`. */
export function sizeText(bytes: number): string {
  // A size that rounds to 1,000 of a unit is shown in the next unit.
  const reaches = (unit: number): boolean => Math.round(10 * bytes / (unit / KB)) >= 10 * KB;
  const [size, unit] = reaches(GB)
    ? [bytes / GB, "GB"]
    : reaches(MB)
    ? [bytes / MB, "MB"]
    : bytes >= KB
    ? [bytes / KB, "kB"]
    : [bytes, "bytes"];
  return `${groupsOfThree(Number(size.toFixed(1)))} ${unit}`;
}

export function shortened(lines: readonly string[]): string[] {
  const shown = lines.slice(0, LIMITS.problems.most).map((line) =>
    line.length <= LIMITS.problemText.most ? line : `${line.slice(0, LIMITS.problemText.most - 1)}…`
  );
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `and ${groupsOfThree(left)} more lines`];
}
