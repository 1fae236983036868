/**
 * The slices of a run whose target was loaded in turns with another, as the result files have them: arrays of equal length, a value a
 * slice, in the order of time. Runs of one scenario with the same repetition are of processes that ran at the same time.
 */
import * as z from "zod";

const ms = z.number().min(0);

export const slices = z.strictObject({
  sliceMs: ms.describe("Planned length of a slice, with what is cut"),
  cutMs: ms.describe("Start of each slice that is not measured"),
  pauseMs: ms.describe("Between a slice and the next, without load"),
  pair: z.array(z.int().min(0)).describe("Slices of two targets with the same number follow each other"),
  place: z.array(z.int().min(0)).describe("Which of its pair it was, from 0"),
  startS: z.array(z.number().min(0)).describe("On one clock for all runs of the repetition"),
  measuredS: z.array(z.number().min(0)),
  completed: z.array(z.int().min(0)),
  failed: z.array(z.int().min(0)),
  serviceSumMs: z.array(ms).describe("Service times of what completed"),
  cpuMs: z.array(ms.nullable()).describe("CPU time of the target while it was loaded; null: not seen"),
  restCpuMs: z.array(ms.nullable())
    .describe("CPU time of the target while the other target of its pair was loaded; null: not seen"),
});

export type Slices = z.output<typeof slices>;
