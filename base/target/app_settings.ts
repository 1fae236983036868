/**
 * The built-in apps' settings, with defaults and limits; each field says its unit. An app itself is in `targets/apps`;
 * its settings are here, because an experiment file is checked without the app's code.
 */
import * as z from "zod";
import { between, durationMs } from "../quantity.ts";
import { onOrOff, wholeNumber } from "./settings.ts";

export const appNames = ["api", "work", "user", "wiki", "site", "streams"] as const;
export type AppName = (typeof appNames)[number];

const api = z.strictObject({
  log: onOrOff.default(false).describe("Log with a line per request: on or off"),
});

const work = z.strictObject({
  cpuTime: durationMs.prefault("0ms")
    .describe("CPU time spent on each request whose query sets no cpuTime"),
  sleepTime: durationMs.prefault("0ms")
    .describe("Waiting time of each request whose query sets no sleepTime"),
  maxCpuTime: durationMs.prefault("1s").describe("Maximum cpuTime that a request may set"),
  maxSleepTime: durationMs.prefault("10s").describe("Maximum sleepTime that a request may set"),
});

const wholeSeconds = between("1s", "24h").refine((ms) => ms % 1_000 === 0, {
  error: "Cannot use this duration: it must be a whole number of seconds",
});

const user = z.strictObject({
  delay: between("0s", "1m").prefault("0ms")
    .describe("How long the origin takes to find a user, as if it asked a database"),
  cache: z.enum(["none", "memory", "redis"]).default("none")
    .describe("Where the cache keeps users: none, memory or redis"),
  ttl: between("10ms", "24h").prefault("60s").describe("How long the cache keeps a user"),
  stampede: z.enum(["wait", "all"]).default("wait").describe(
    "Who fetches a user that many requests want but the cache does not have: " +
      "one request, while the others wait (wait), or every request (all)",
  ),
  "rateLimit.store": z.enum(["memory", "redis"]).default("memory")
    .describe("Where requests are counted: memory, or redis, where all instances share the counts"),
  "rateLimit.limit": z.union([z.literal("none"), wholeNumber(1, 1_000_000_000)], {
    error: "Cannot read this as a limit: write none or a whole number",
  }).default("none")
    .describe(
      "Number of requests that a client may make in each window; further requests get 429. none: no limit",
    ),
  "rateLimit.window": wholeSeconds.prefault("60s")
    .describe(
      "Length of the window in which a client's requests are counted, from the client's first request on, in whole seconds",
    ),
  log: onOrOff.default(false).describe("Log with a line per request: on or off"),
});

const wiki = z.strictObject({
  pages: wholeNumber(10, 100_000).default(1_000).describe(
    "Number of pages that are written at the start; many pages may need a longer startTimeout",
  ),
  seed: wholeNumber(0, 2 ** 31 - 1).default(1)
    .describe("Seed of the pages' text: the same seed writes the same pages"),
  renderCache: onOrOff.default(false)
    .describe("Rendered markdown kept in memory until its page changes: on or off"),
  gzip: onOrOff.default(false).describe("Compression for clients that accept gzip: on or off"),
  cpuTime: durationMs.prefault("0ms")
    .describe("Additional CPU time for each page that is rendered"),
  log: onOrOff.default(false).describe("Log with a line per request: on or off"),
});

const site = z.strictObject({
  gzip: onOrOff.default(true).describe("Compression for clients that accept gzip: on or off"),
  brotli: onOrOff.default(false)
    .describe("Brotli compression, preferred to gzip if a client accepts both equally: on or off"),
  etag: onOrOff.default(false)
    .describe(
      "ETag with each response, and 304 for clients that have the current content: on or off",
    ),
  helmet: onOrOff.default(false).describe(
    "Security headers with each response, such as Strict-Transport-Security, the same that the package helmet sends: on or off",
  ),
  files: onOrOff.default(false)
    .describe(
      "Whether pages and images are read from files for each request, rather than from memory: on or off",
    ),
  cache: onOrOff.default(false).describe("Whole responses kept in memory: on or off"),
  ttl: between("10ms", "24h").prefault("1h").describe("How long the cache keeps a response"),
  log: onOrOff.default(false).describe("Log with a line per request: on or off"),
});

const MOST_GAPS = 1_000;
const gap = between("0s", "1h");

/** Durations separated by commas, which become milliseconds, or a list of milliseconds. */
const gapList = z.union([
  z.string().transform((text) => text.split(",")).pipe(z.array(gap).min(1).max(MOST_GAPS)),
  z.array(z.number().min(0)).min(1).max(MOST_GAPS),
]);

const streams = z.strictObject({
  events: wholeNumber(1, 1_000_000_000).default(10).describe("Number of messages of each stream"),
  first: gap.prefault("0ms").describe("Time from the request to the first message"),
  gaps: gapList.prefault("10ms").describe(
    "Time between two messages of a stream: one duration, or several separated by commas, used in turn",
  ),
  delay: gap.prefault("0ms").describe("Time from a message on a WebSocket to its echo"),
  cutAfter: wholeNumber(0, 1_000_000_000).default(0)
    .describe("Number of messages after which a stream is cut off; 0: no stream is cut off"),
  news: between("10ms", "1h").prefault("1s")
    .describe("Time between two items of the news that all listeners get"),
  freeze: gap.prefault("0s").describe("How long each freeze of the server lasts"),
  freezeEvery: gap.prefault("0s")
    .describe(
      "How often the server freezes, from the start of one freeze to that of the next; 0s: never",
    ),
});

export const appSettings = { api, work, user, wiki, site, streams } satisfies Record<
  AppName,
  z.ZodObject
>;

export function isAppName(name: string): name is AppName {
  return Object.hasOwn(appSettings, name);
}

// Settings of the frameworks in the frameworks study, with defaults and limits. The frameworks
// themselves are in `targets/frameworks`.

export const frameworkNames = [
  "express",
  "fastify",
  "hapi",
  "nestjs-express",
  "nestjs-fastify",
  "adonisjs",
  "feathers",
  "flask",
  "gin",
  "node-http",
] as const;
export type FrameworkName = (typeof frameworkNames)[number];

const logging = onOrOff.default(false).describe("The server's own log of requests: on or off");
const trace = onOrOff.default(false)
  .describe("The server's own log of errors, with the stack trace of each: on or off");

/** Settings of every framework. */
export const commonSettings = z.strictObject({ logging, trace });

/** Settings of frameworks that run several processes. */
export const workerSettings = commonSettings.extend({
  workers: wholeNumber(1, 1_024).default(1)
    .describe("Number of processes that respond to requests"),
});

/** Settings of frameworks that run several threads. */
export const coreSettings = commonSettings.extend({
  cores: wholeNumber(1, 1_024).optional()
    .describe("Number of cores that the server may compute on at a time (all when absent)"),
});

/** Whether the framework runs on Node or a compatible runtime. */
export function runsOnNode(framework: FrameworkName): boolean {
  return framework !== "flask" && framework !== "gin";
}

/**
 * The runtimes for JavaScript frameworks: `node` is the one on PATH, `plateau setup frameworks` installs the others.
 */
export const runtimeNames = ["node", "node@20", "node@22", "node@24", "deno@2", "bun@1"] as const;
export type RuntimeName = (typeof runtimeNames)[number];

export const installedRuntimeNames = ["node@20", "node@22", "node@24", "deno@2", "bun@1"] as const;
export type InstalledRuntimeName = (typeof installedRuntimeNames)[number];

export function isInstalledRuntime(name: string): name is InstalledRuntimeName {
  return installedRuntimeNames.some((each) => each === name);
}

/** Whether the runtime's engine is V8; Bun's is JavaScriptCore. */
export function isV8(runtime: RuntimeName): boolean {
  return runtime !== "bun@1";
}

export function frameworkSettings(framework: FrameworkName): z.ZodObject {
  return framework === "flask"
    ? workerSettings
    : framework === "gin"
    ? coreSettings
    : commonSettings;
}
