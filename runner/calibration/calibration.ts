/**
 * How fast this generator is on this machine: its peak throughput and its baseline latency against a server that does
 * nothing. The peak is the best of several short measurements (slices) with many connections, because a busy moment
 * makes a generator slower but never faster. The baseline is the median of several slices with a single connection,
 * because such a slice shows 0.02 ms when the system happens to put both ends on one core, and 0.05 ms otherwise. Both
 * are remembered for each machine, version and driver.
 */
import type { Load } from "../../scenarios/load/load.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import {
  type Calibration,
  forgetCalibration,
  rememberCalibration,
  rememberedCalibration,
} from "../host/calibration_cache.ts";
import type { DriverName } from "../load/engine/driver.ts";
import { chooseDriver } from "../load/transports/choose_driver.ts";
import type { Loader } from "../measure/loader.ts";
import { LocalLoader } from "../measure/local_loader.ts";
import { measureLoad } from "../measure/measure.ts";
import type { OnProgress } from "../result/progress.ts";
import type { Measurement } from "../result/result.ts";
import { medianOf } from "../stats/quantile.ts";
import type { FromResponder, ToResponder } from "./null_responder.ts";

interface CalibrationRequest {
  readonly driver: DriverName;
  readonly signal: AbortSignal;
}

const BASELINE_SLICES = 5;
/** Slices for the peak; while other programs disturb the machine, up to twice as many are measured. */
const PEAK_SLICES = 4;
/** A worker that waits for a core for more than this share of the time does not show the machine's peak. */
const UNDISTURBED = 0.1;
/**
 * A worker that is busy for less than this share of the time does not show the peak either, because its server had to
 * wait for a core.
 */
const BUSY_AT_PEAK = 0.75;
const CONNECTIONS = 50;
const SLICE_MS = 100;

/**
 * Measures anew, even if a calibration is remembered; takes about a second. Null if that is not possible, or on abort.
 * A measurement on a busy machine is returned but not remembered; if even so it exceeds the remembered peak, the
 * remembered calibration is forgotten.
 * @param measure Measures the slices.
 */
export async function calibrate(
  { driver, signal }: CalibrationRequest,
  measure: typeof measureSlices = measureSlices,
): Promise<Calibration | null> {
  try {
    const slices = await measure(driver, signal);
    const found = slices === null ? null : calibrationOf(slices);
    if (found === null) return null;
    const known = rememberedCalibration(driver);
    if (slices !== null && areUndisturbed(slices)) await rememberCalibration(driver, found);
    else if (known !== null && known.peakThroughput < found.peakThroughput) {
      forgetCalibration(driver);
    }
    return found;
  } catch {
    return null; // an experiment does not depend on its calibration
  }
}

export interface FirstCalibration {
  readonly driver: DriverName;
  /** Null if the generator could not be calibrated. */
  readonly calibration: Calibration | null;
}

interface FirstCalibrationRequest {
  /** Whether the figures are part of the result, so that they are measured even if remembered. */
  readonly isReported?: boolean;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/**
 * Calibrates the generator before the first run of an experiment, and announces it as a progress note. Returns the
 * remembered calibration instead if there is one and the figures are not reported.
 */
export async function calibrateFirst(
  { isReported = false, onProgress, signal }: FirstCalibrationRequest,
): Promise<FirstCalibration> {
  const { driver } = await chooseDriver("auto", { hostname: "127.0.0.1", port: 80 });
  const known = isReported ? null : rememberedCalibration(driver);
  if (known !== null) return { driver, calibration: known };
  const text =
    "Calibrating the load generator against a server that does nothing (takes about a second)";
  onProgress({ kind: "note", text });
  return { driver, calibration: await calibrate({ driver, signal }) };
}

interface Slices {
  /** Measurements with enough connections to keep the worker busy. */
  readonly full: readonly Measurement[];
  /** Measurements with a single connection. */
  readonly single: readonly Measurement[];
}

/** Measures all slices; null on abort. */
async function measureSlices(driver: DriverName, signal: AbortSignal): Promise<Slices | null> {
  const loader = new LocalLoader();
  const responder = await startResponder();
  const take = (connections: number): Promise<Measurement> =>
    takeSlice({ driver, connections, port: responder.port, loader, signal });
  const full: Measurement[] = [];
  const single: Measurement[] = [];
  try {
    const isEnough = (): boolean =>
      full.length >= PEAK_SLICES &&
      (full.some(isUndisturbed) || full.length >= 2 * PEAK_SLICES);
    while (!signal.aborted && !isEnough()) full.push(await take(CONNECTIONS));
    while (!signal.aborted && single.length < BASELINE_SLICES) single.push(await take(1));
    return signal.aborted ? null : { full, single };
  } finally {
    await loader.close();
    await responder.stop();
  }
}

/**
 * Whether at least one slice shows the peak, and most slices with a single connection were undisturbed, so that their
 * median shows the baseline.
 */
function areUndisturbed({ full, single }: Slices): boolean {
  return full.some(isUndisturbed) && 2 * single.filter(hasCore).length > single.length;
}

function isUndisturbed(slice: Measurement): boolean {
  return hasCore(slice) && slice.generator.cpu >= BUSY_AT_PEAK;
}

function hasCore({ generator: { waiting } }: Measurement): boolean {
  return waiting === null || waiting < UNDISTURBED;
}

/**
 * The highest rate of the full slices, and the median of the single slices' median latencies; null if either is unknown
 * because no request completed.
 */
export function calibrationOf({ full, single }: Slices): Calibration | null {
  const peak = Math.max(0, ...full.map(({ rate }) => rate));
  const baseline = medianOf(
    single.filter(({ requests }) => requests.completed > 0)
      .map(({ service }) => service.percentiles["50"]),
  );
  return peak > 0 && baseline > 0 ? { peakThroughput: peak, baselineLatency: baseline } : null;
}

interface Slice {
  readonly driver: DriverName;
  readonly connections: number;
  readonly port: number;
  readonly loader: Loader;
  readonly signal: AbortSignal;
}

function takeSlice({ driver, connections, port, loader, signal }: Slice): Promise<Measurement> {
  const load: Load = {
    kind: "closed",
    connections,
    keepAlive: true,
    timeout: 1_000,
    workers: 1,
    pipeline: 1,
    durationMs: SLICE_MS,
    requests: null,
  };
  const request = {
    origin: `http://127.0.0.1:${port}`,
    script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
    load,
    seed: 0,
    driver,
    intervalMs: SLICE_MS,
    logPath: null,
    implicitCheck: false,
  };
  return measureLoad(request, { loader, signal, onProgress: () => {}, onStart: () => {} });
}

interface Responder {
  readonly port: number;
  stop(): Promise<void>;
}

async function startResponder(): Promise<Responder> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("./null_responder.ts", import.meta.url), { type: "module" });
  const { promise: port, resolve: listens, reject } = Promise.withResolvers<number>();
  const { promise: ended, resolve: ends } = Promise.withResolvers<void>();
  worker.onmessage = ({ data }: MessageEvent<FromResponder>) =>
    data.kind === "listening" ? listens(data.port) : ends();
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(`The server for the calibration failed: ${event.message}`));
    ends();
  };
  worker.postMessage({ stop } satisfies ToResponder);
  return {
    port: await port,
    async stop(): Promise<void> {
      Atomics.store(stop, 0, 1);
      await ended;
      worker.terminate();
    },
  };
}
