/** Many values in a few figures, as result files have them. */
import * as z from "zod";

const count = z.int().min(0);
const ms = z.number().min(0);

const percentiles = z.strictObject({
  "50": ms,
  "75": ms,
  "90": ms,
  "95": ms,
  "99": ms,
  "99.9": ms,
  "99.99": ms,
});

/** A distribution of times, in milliseconds. All zero when `count` is 0. */
export const distribution = z.strictObject({
  count,
  min: ms,
  mean: ms,
  stdev: ms,
  max: ms,
  percentiles,
});

/** Of a figure that has a value each second. */
export const spread = z.strictObject({
  p1: z.number(),
  p2_5: z.number(),
  p50: z.number(),
  p97_5: z.number(),
  mean: z.number(),
  stdev: z.number(),
  min: z.number(),
});

export type Distribution = z.output<typeof distribution>;
