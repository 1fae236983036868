/** `profile` in an experiment file: runs in which the targets' processes are sampled, after the measured ones. */
import * as z from "zod";

export const profileSpec = z.strictObject({
  runs: z.int().min(1).max(20).default(1).describe("Profile runs of each cell, in no figure"),
  pprof: z.string().regex(/^\/[\x21-\x7e]*$/, "Cannot use this as a path: start with /").optional()
    .describe("Path of a Go program's CPU profile, such as /debug/pprof/profile"),
});

export type ProfileSpec = z.output<typeof profileSpec>;

/** What `--profile` asks for where the file says nothing. */
export const ONE_PROFILE: ProfileSpec = { runs: 1 };
