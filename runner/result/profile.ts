/** Profiles of the targets in result files. Profile runs come after the measured runs and contribute to no figure. */
import * as z from "zod";
import { PROFILERS } from "../../base/profile/call_tree.ts";

const count = z.int().min(0);
const ms = z.number().min(0);

const frame = z.strictObject({
  name: z.string(),
  module: z.string().describe("Package, file or library; empty: unknown"),
  line: count.describe("Line at which the function begins, from 1; 0 if unknown"),
  own: z.literal(true).optional().describe(
    "Whether the function belongs to the program itself, rather than to a package, a library or the runtime; absent: no, or unknown",
  ),
});

const callTree = z.strictObject({
  frames: z.array(frame).describe("Functions"),
  frame: z.array(count).describe("For each call: its function, an index into frames"),
  parent: z.array(z.int().min(-1)).describe(
    "For each call: the index of its caller, which precedes it; -1 for an outermost call",
  ),
  ownMs: z.array(ms).describe("For each call: time in the function itself"),
}).describe("Calls of all profiled processes together, in lists of equal length");

const profiledProcess = z.strictObject({
  pid: count,
  program: z.string(),
  profiler: z.enum(PROFILERS),
  file: z.string().nullable().describe(
    "Path of the runtime's own profile file, relative to the results; null: none",
  ),
  samples: count,
  reason: z.string().nullable().describe("Why there is no profile; null if there is one"),
});

export const profile = z.strictObject({
  target: z.string(),
  scenario: z.string(),
  parameters: z.record(z.string(), z.json()),
  run: z.int().min(1).describe("Number of the profile run among those of its cell, from 1"),
  startedAt: z.iso.datetime(),
  fromS: z.number().min(0).describe("Start of the sampling, seconds since the start of the load"),
  forS: z.number().min(0).describe("Length of the sampling, seconds"),
  rate: z.number().min(0).nullable().describe(
    "Requests per second of the profile run, which no figure counts; null if the run failed",
  ),
  processes: z.array(profiledProcess),
  busyMs: ms.describe(
    "Time of all calls in the tree, without the time in which a process had nothing to do",
  ),
  idleMs: ms.describe("Time in which a process had nothing to do, if its profiler reports it"),
  tree: callTree,
  pruned: z.strictObject({
    nodes: count.describe("Number of calls that were left out of the tree"),
    ms: ms.describe("Time of the calls left out, which counts as time of their callers"),
  }),
  notes: z.array(z.string()).describe("Notes on what could not be profiled"),
});

export type TargetProfile = z.output<typeof profile>;
