/**
 * The slices of a run whose target was loaded in turns with another, as stored in result files. Runs of one scenario
 * with the same repetition belong to processes that ran at the same time.
 */
import * as z from "zod";

const ms = z.number().min(0);
const count = z.int().min(0);
const seen = z.array(ms.nullable());

export const slices = z.strictObject({
  sliceMs: ms.describe("Planned length of a slice, with what is cut"),
  cutMs: ms.describe("Start of each slice that is not measured"),
  shiftMs: ms.default(0)
    .describe(
      "The measured part begins by up to so much later, drawn for each slice, and ends as much later",
    ),
  pauseMs: ms.describe("Between a slice and the next, without load"),
  partner: z.string().describe("The target that it took turns with"),
  histogram: z.string()
    .describe(
      "Latencies of what was due in the measured parts of all its slices: HdrHistogram V2, compressed, base64, microseconds",
    ),
  censoredHistogram: z.string().optional()
    .describe("The values of `histogram` that are lower bounds; absent: none"),
  items: z.strictObject({
    pair: z.array(count)
      .describe("Slices of the two targets with the same number follow each other"),
    place: z.array(count).describe("Which of its pair it was, from 0"),
    startS: z.array(z.number().min(0)).describe("On one clock for both targets"),
    measuredS: z.array(z.number().min(0)).describe(
      "Length without what is cut, and without the shift",
    ),
    completed: z.array(count).describe(
      "Completed requests that were due in the measured part, whenever they ended",
    ),
    failed: z.array(count).describe("Likewise"),
    serviceSumMs: z.array(ms).describe("Service times of what was due in the measured part"),
    served: z.array(count).describe("Completed in the whole slice, which the CPU time is of"),
    cpuMs: seen.describe("CPU time of the target in the whole slice; null: not seen"),
    restCpuMs: seen.describe("The same while the other target of the pair had its slice"),
    othersCpuMs: seen.optional()
      .describe(
        "CPU time of whatever else the machine did in the slice, but the targets and the load; null: not seen",
      ),
  }).describe("Arrays of equal length, a value a slice, in the order of time"),
});

export type Slices = z.output<typeof slices>;
