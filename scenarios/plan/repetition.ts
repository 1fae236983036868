/** How often each cell is measured, and the seed of all random choices. */
import * as z from "zod";
import { ALWAYS } from "../../base/explain.ts";
import { readPercentage } from "../../base/figures/figure.ts";
import { between } from "../../base/quantity.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** A fixed number of runs of each cell. */
export const times = z.int().min(1).max(1_000);
export const seed = z.int().min(0).max(0xffff_ffff);

const until = z.string().transform((text, context): number => {
  const read = readPercentage(text, { what: "a width", example: "2%", aboveZero: true });
  if ("value" in read) return read.value;
  context.addIssue(read.problem);
  return z.NEVER;
}).describe("Half the width of the confidence intervals, as a share of the figure: 2% is ± 2 %");

/** Repetitions that go on until figures are precise enough, or until the time is used up. */
const sequence = z.strictObject({
  until: until.optional()
    .describe(
      "Repeats until every confidence interval of rate and p50 is this narrow: 2% is ± 2 %",
    ),
  atMost: z.int().min(5).max(1_000).optional()
    .describe("Maximum number of repetitions; intervals are first checked after 5 repetitions"),
  budget: between("1s", "24h").optional()
    .describe(
      "Maximum total time: a repetition that would exceed this time is not begun, but at least 2 are made",
    ),
}).superRefine(({ until, budget }, context) => {
  if (until !== undefined || budget !== undefined) return;
  context.addIssue("Cannot repeat without a rule that ends it: write until: 2%, or budget: 10m");
}, ALWAYS).transform(({ until = null, atMost = null, budget = null }): Sequence => ({
  until,
  atMost,
  budget,
}));

interface Sequence {
  /**
   * Largest half-width of the confidence intervals, relative to the figure: 0.02 for ± 2 %. Null if precision does not
   * end the runs.
   */
  readonly until: number | null;
  readonly atMost: number | null;
  /** Time limit in milliseconds; null if there is none. */
  readonly budget: number | null;
}

/** A stopping rule as text, such as `until 2%`. */
const untilText = z.string().transform((text, context): Sequence => {
  const [, width] = /^until\s(.+)$/s.exec(text.trim()) ?? [];
  const read = width === undefined ? null : until.safeParse(width);
  if (read?.success) return { until: read.data, atMost: null, budget: null };
  context.addIssue(
    read?.error.issues[0].message ??
      `Cannot read ${quotedOpenly(text)} as repetitions: write a whole number, or until 2%`,
  );
  return z.NEVER;
});

export const repeat = z.union([times, untilText, sequence]);

/** Either a number of repetitions, or a stopping rule. */
export type Repeat = z.output<typeof repeat>;

/** Repetitions as the value of a flag, such as `5` or `until 2%`. */
export const repeatText = z.string().transform((text): string | number =>
  /^-?\d+$/.test(text.trim()) ? Number(text) : text
).pipe(z.union([times, untilText]));

// Profile runs come after the measured ones. In them, the targets' processes are sampled.

export const profileSpec = z.strictObject({
  runs: z.int().min(1).max(20).default(1).describe(
    "Number of profile runs of each cell; no figure counts them",
  ),
  pprof: z.string().regex(/^\/(?!\/)[\x21-\x7e]*$/, "Cannot use this as a path: start with /")
    .optional()
    .describe("Path of a Go program's CPU profile, such as /debug/pprof/profile"),
}).describe(
  "Runs after the measured ones in which profilers sample the targets; no figure counts them",
);

type ProfileSpec = z.output<typeof profileSpec>;

export const observed = z.enum(["runtime", "compiler"]);
export const observeSpec = z.array(observed).min(1).describe(
  "What is watched from inside the targets, at some cost. runtime: garbage collections, event-loop delay and heap; " +
    "compiler: the same and, for Node, the work of V8's optimising compilers",
);

/** The value of `profile` if the flag `--profile` is given and the experiment file has no `profile`. */
export const ONE_PROFILE: ProfileSpec = { runs: 1 };
