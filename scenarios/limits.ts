/**
 * The most that Plateau takes of anything that comes from outside: a file, an answer, a job, a page's
 * reader. Nothing from outside decides how much memory or time it costs here. docs/limits.md is this
 * table for readers; a test holds the two together.
 */
import { type Problem, UserError } from "./errors.ts";

interface Limit {
  /** What is limited, as the subject of a sentence. */
  readonly what: string;
  readonly most: number;
  /** What is counted; bytes are shown as KB, MB and GB. */
  readonly unit: string;
}

const KB = 1_000;
const MB = 1_000_000;

/** By name. Each is checked before what it guards costs memory. */
export const LIMITS = {
  experimentFile: { what: "an experiment file", most: 1 * MB, unit: "bytes" },
  textFile: { what: "a file that an experiment names", most: 16 * MB, unit: "bytes" },
  rows: { what: "a CSV file of an experiment", most: 100 * KB, unit: "rows" },
  agents: { what: "a fleet", most: 10_000, unit: "agents" },
  agentWorkers: { what: "an agent", most: 1_024, unit: "workers" },
  agentText: { what: "what an agent says of itself", most: 256 * KB, unit: "bytes" },
  fleetParts: { what: "a message of an agent", most: 100_000, unit: "intervals" },
  fleetBundles: { what: "an agent", most: 1_000, unit: "messages that wait for one before" },
  fleetWorkers: { what: "a fleet", most: 100_000, unit: "workers" },
  liveConnections: { what: "a live page", most: 64, unit: "connections" },
  liveReaders: { what: "a live page", most: 16, unit: "readers" },
  liveHead: { what: "the head of a request to a live page", most: 16 * KB, unit: "bytes" },
  liveReceipt: { what: "what is sent to a live page", most: 64, unit: "bytes" },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

export function isWithin(name: LimitName, found: number): boolean {
  return found <= LIMITS[name].most;
}

/** `a CSV file of an experiment has 120,000 rows, and 100,000 are the most`, for use within a message. */
export function beyond(name: LimitName, found: number): string {
  const { what, unit } = LIMITS[name];
  const most = mostOf(name);
  return unit === "bytes"
    ? `${what} has ${sizeText(found)}, and ${most} are the most`
    : `${what} has ${found.toLocaleString("en")} ${unit}, and ${most} are the most`;
}

/** The limit as a reader sees it: `1 MB`, `100,000`. */
export function mostOf(name: LimitName): string {
  const { most, unit } = LIMITS[name];
  return unit === "bytes" ? sizeText(most) : most.toLocaleString("en");
}

/**
 * Throws a UserError unless `found` is within the limit.
 * @param place Of the problem: a file, a flag, a place in a file.
 * @param doing What can't be done, such as `read results.json`.
 */
export function checkLimit(name: LimitName, found: number, place: string, doing: string): void {
  if (isWithin(name, found)) return;
  const problem: Problem = { place, message: `Cannot ${doing}: ${beyond(name, found)}` };
  throw new UserError([problem]);
}

/** In decimal units, with at most one digit behind the point: `3.7 GB`. */
function sizeText(bytes: number): string {
  const [size, unit] = bytes >= 1e9
    ? [bytes / 1e9, "GB"]
    : bytes >= MB
    ? [bytes / MB, "MB"]
    : bytes >= KB
    ? [bytes / KB, "KB"]
    : [bytes, "bytes"];
  return `${Number(size.toFixed(1)).toLocaleString("en")} ${unit}`;
}
