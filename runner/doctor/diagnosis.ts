/** What `plateau doctor` reports: the verdict of every check, and the figures behind it. */
import * as z from "zod";
import { machine } from "../../base/system/facts.ts";
import { VERSION } from "../../base/version.ts";
import { checkResult, type DoctorCheck } from "./check.ts";
import { checks } from "./checks.ts";
import type { HostFacts } from "./observation.ts";

const ratio = z.number().min(0).max(1);

/** The output of `doctor --json`. */
export const diagnosis = z.strictObject({
  schema: z.literal("plateau.doctor/1"),
  version: z.string(),
  machine,
  idle: z.strictObject({
    seconds: z.number().positive(),
    busy: ratio.nullable().describe("Share of the cores' time in use while Plateau did nothing"),
    steal: ratio.nullable().describe("Share of the cores' time that went to other machines"),
  }).describe("Use of the cores on which Plateau may run"),
  clock: z.strictObject({
    step: z.number().positive().describe("Smallest step of the clock, µs"),
    source: z.string().nullable(),
  }),
  driver: z.enum(["epoll", "tcp"]),
  calibration: z.strictObject({
    ceiling: z.number().positive().describe("Peak throughput of one worker, requests per second"),
    floor: z.number().positive().describe(
      "Median latency of one connection to a server that does nothing, ms",
    ),
  }).nullable(),
  checks: z.array(checkResult.extend({ name: z.string(), title: z.string() })),
});
export type Diagnosis = z.output<typeof diagnosis>;

export function diagnose(sight: HostFacts): Diagnosis {
  const { machine, idle, clock, driver, calibration } = sight;
  return {
    schema: "plateau.doctor/1",
    version: VERSION,
    machine,
    idle: { seconds: idle.seconds, busy: idle.busyRatio, steal: idle.stealRatio },
    clock: { step: clock.stepUs, source: clock.source },
    driver: driver.driver,
    calibration: calibration &&
      { ceiling: calibration.peakThroughput, floor: calibration.baselineLatency },
    checks: Object.entries<DoctorCheck>(checks).map(([name, { title, run: judge }]) => ({
      name,
      title,
      ...judge(sight),
    })),
  };
}
