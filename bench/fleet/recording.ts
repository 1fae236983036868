/** Records the reports of one worker in a real run, for simulated agents to replay. */
import * as z from "zod";
import type { LoaderHooks, LoadRequest } from "../../runner/measure/loader.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { DRIVER_NAMES } from "../../runner/load/engine/driver.ts";
import type { Health, SoFarReport } from "../../runner/load/worker/messages.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import {
  packedHealth,
  packedPart,
  packedReport,
  packedSoFar,
  packHealth,
  packPart,
  packReport,
  packSoFar,
} from "../../runner/fleet/protocol/packing.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";

const interval = z.strictObject({ part: packedPart, health: packedHealth, soFar: packedSoFar });

export const recording = z.strictObject({
  driver: z.enum(DRIVER_NAMES),
  intervalMs: z.number(),
  intervals: z.array(interval),
  report: packedReport,
});

export type Recording = z.output<typeof recording>;

interface RecordedLoad {
  readonly connections: number;
  readonly durationMs: number;
  readonly intervalMs: number;
  /** The rate; null: as fast as possible. */
  readonly ratePerSec: number | null;
}

export async function record(
  origin: string,
  { connections, durationMs, intervalMs, ratePerSec }: RecordedLoad,
): Promise<z.input<typeof recording>> {
  const told: { part: IntervalPart; health: Health }[] = [];
  const soFars: SoFarReport[] = [];
  const hooks: LoaderHooks = {
    onNote: () => {},
    onReady: () => {},
    onStart: () => {},
    onInterval: (_, part, health) => told.push({ part, health }),
    onReportingWorkers: () => {},
    signal: new AbortController().signal,
  };
  const common = { connections, durationMs, keepAlive: true, timeout: 5_000, workers: 1 };
  const request: LoadRequest = {
    origin,
    script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 1),
    load: ratePerSec === null
      ? { kind: "closed", ...common, pipeline: 1, requests: null }
      : { kind: "rate", ...common, ratePerSec, arrivals: "poisson" },
    seed: 1,
    driver: "auto",
    intervalMs,
    logPath: null,
    implicitCheck: false,
  };
  const loader = new LocalLoader();
  const { driver, reports } = await loader.load(request, hooks, {
    onSoFar: (_, report) => soFars.push(report),
  }).finally(() => loader.close());
  const intervals = told.map(({ part, health }, at) => ({
    part: packPart(part),
    health: packHealth(health),
    soFar: packSoFar(soFars[at]),
  }));
  return { driver, intervalMs, intervals, report: packReport(reports[0]) };
}
