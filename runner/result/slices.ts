/**
 * The slices of a run whose target took turns with another, as stored in result files. Runs of one scenario with the
 * same repetition belong to processes that ran at the same time.
 */
import * as z from "zod";

const ms = z.number().min(0);
const count = z.int().min(0);
const seen = z.array(ms.nullable());

export const slices = z.strictObject({
  sliceMs: ms.describe("Planned length of a slice, including its start, which is not measured"),
  cutMs: ms.describe("Length of the start of each slice, which is not measured"),
  shiftMs: ms.default(0)
    .describe(
      "Largest shift of the measured part: in each slice, it begins and ends later by a random time from 0 to this",
    ),
  pauseMs: ms.describe("Time without load between a slice and the next"),
  partner: z.string().describe("The target with which this one took turns"),
  histogram: z.string()
    .describe(
      "Latencies of the requests that were due in the measured parts of all slices: HdrHistogram V2, compressed, base64, microseconds",
    ),
  censoredHistogram: z.string().optional()
    .describe("The values of `histogram` that are lower bounds; absent: none"),
  items: z.strictObject({
    pair: z.array(count)
      .describe(
        "Number of the pair of slices: slices of the two targets with the same number follow each other",
      ),
    place: z.array(count).describe("Place of the slice in its pair, from 0"),
    startS: z.array(z.number().min(0)).describe(
      "Start of the slice, on one clock for both targets",
    ),
    measuredS: z.array(z.number().min(0)).describe(
      "Length of the measured part, without the start of the slice and without the shift",
    ),
    completed: z.array(count).describe(
      "Completed requests that were due in the measured part, whenever they ended",
    ),
    failed: z.array(count).describe("Failed requests that were due in the measured part"),
    serviceSumMs: z.array(ms).describe(
      "Sum of the service times of the requests that were due in the measured part",
    ),
    served: z.array(count).describe(
      "Requests completed from the beginning of the slice to that of the target's next one; cpuMs is the CPU time for them",
    ),
    cpuMs: seen.describe(
      "CPU time of the target in the whole slice and nearly all of the pause after it; null: unknown",
    ),
    restCpuMs: seen.describe(
      "CPU time of the target in the slice of the other target of the pair, and nearly all of the pause after it; null: unknown",
    ),
    othersCpuMs: seen.optional()
      .describe(
        "CPU time of the machine in the same time as cpuMs, without that of the targets and the load; null: unknown",
      ),
  }).describe("Arrays of equal length, one value per slice, in order of time"),
});

export type Slices = z.output<typeof slices>;
