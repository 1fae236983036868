/**
 * The calibration of the load generator, remembered in the user's cache folder: one small file for each machine,
 * version and driver. Nothing depends on the file: if it can't be read or written, that is not a failure. A calibration
 * is forgotten after a month, and as soon as a load is faster than the peak throughput that it records.
 */
import os from "node:os";
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { fnv1a } from "../../base/random.ts";
import { VERSION } from "../../base/version.ts";
import { readCarefully } from "../../base/careful_file.ts";
import { replaceFile } from "../../base/whole_file.ts";
import type { DriverName } from "../load/engine/driver.ts";

const calibration = z.strictObject({
  peakThroughput: z.number().positive().describe(
    "Peak throughput of one worker, requests per second",
  ),
  baselineLatency: z.number().positive().describe(
    "Median latency of one connection to a server that does nothing, ms",
  ),
});
export type Calibration = z.output<typeof calibration>;

/**
 * How long a calibration is valid. It is limited because a machine's clock rates, power plans and neighbours change.
 */
const LONGEST_MS = 30 * 24 * 3_600_000;

/** The figures of a load that bear on the generator's peak throughput. */
interface GeneratedLoad {
  readonly completedPerSec: number;
  readonly elapsedS: number;
  readonly workers: number;
  /**
   * The most requests in flight on each connection. Only loads with one are comparable, because the peak is measured
   * with one.
   */
  readonly pipeline: number;
}

/** A load shorter than this may be a single burst, so it refutes nothing. */
const SHORTEST_S = 0.1;

/** Whether the load was faster than the peak throughput, which was therefore measured too low. */
export function refutes(
  { completedPerSec, elapsedS, workers, pipeline }: GeneratedLoad,
  { peakThroughput }: Pick<Calibration, "peakThroughput">,
): boolean {
  return pipeline === 1 && elapsedS >= SHORTEST_S && completedPerSec > workers * peakThroughput;
}

/**
 * Factor by which baseline latencies may differ: they are 0.02 or 0.05 ms, depending on whether both ends share a core.
 */
const PLACEMENT = 3;

/**
 * Whether a load's median is far below the latency of a server that does nothing. That latency must then have been
 * measured on a busy machine.
 * @param medianMs 0 if no request completed.
 */
export function undercuts(
  medianMs: number,
  { baselineLatency }: Pick<Calibration, "baselineLatency">,
): boolean {
  return medianMs > 0 && PLACEMENT * medianMs < baselineLatency;
}

/** What a calibration is valid for; if any part of it changes, the generator is measured again. */
export interface CalibrationKey {
  readonly cpu: string;
  /** Architecture of this program. The processor may have another one, if an emulator runs the program. */
  readonly arch: string;
  readonly cores: number;
  readonly kernel: string;
  readonly plateau: string;
  readonly deno: string;
  readonly driver: DriverName;
}

/** Parses with an uncompiled schema, because compiling would take longer than it saves. */
const ONCE = { jitless: true };
const record = z.strictObject({
  of: z.record(z.string(), z.json()),
  calibration,
  measuredAt: z.iso.datetime(),
});

/**
 * The key of this machine; null if the system does not name its processors, because different machines would then have
 * the same key.
 */
export function calibrationKey(driver: DriverName): CalibrationKey | null {
  const cpus = os.cpus();
  return cpus.length === 0 ? null : {
    cpu: cpus[0]?.model.trim() || "unknown",
    arch: Deno.build.arch,
    cores: cpus.length,
    kernel: os.release(),
    plateau: VERSION,
    deno: Deno.version.deno,
    driver,
  };
}

/** Where the calibration of this machine, version and driver is stored. */
interface Place {
  readonly folder: string;
  readonly subject: CalibrationKey;
}

function placeHere(driver: DriverName): Place | null {
  const [folder, subject] = [cacheFolder(), calibrationKey(driver)];
  return folder === null || subject === null ? null : { folder, subject };
}

/** The calibration of this machine; null if none is remembered. */
export function rememberedCalibration(driver: DriverName): Calibration | null {
  const place = placeHere(driver);
  return place && readCalibration(place.folder, place.subject, new Date());
}

export async function rememberCalibration(driver: DriverName, found: Calibration): Promise<void> {
  const place = placeHere(driver);
  if (place !== null) await writeCalibration(place.folder, place.subject, found, new Date());
}

/** Forgets the calibration, so that the generator is measured again at the next start. */
export function forgetCalibration(driver: DriverName): void {
  const place = placeHere(driver);
  try {
    if (place !== null) rmSync(join(place.folder, fileNameOf(place.subject)));
  } catch {
    // The file does not exist, or belongs to another user. The file of another user is not used,
    // because reading rejects it.
  }
}

export function readCalibration(
  folder: string,
  subject: CalibrationKey,
  now: Date,
): Calibration | null {
  try {
    const text = readCarefully(join(folder, fileNameOf(subject)), "rememberedFile");
    const { of, calibration, measuredAt } = record.parse(JSON.parse(text), ONCE);
    const ageMs = now.getTime() - Date.parse(measuredAt);
    const isFresh = ageMs >= 0 && ageMs < LONGEST_MS;
    return isFresh && sortedKey(of) === sortedKey(subject) ? calibration : null;
  } catch {
    return null;
  }
}

/** Replaces the file atomically, because another Plateau may be reading it. */
export async function writeCalibration(
  folder: string,
  subject: CalibrationKey,
  calibration: Calibration,
  now: Date,
): Promise<void> {
  const text = JSON.stringify({ of: subject, calibration, measuredAt: now.toISOString() }) + "\n";
  try {
    await Deno.mkdir(folder, { recursive: true });
    await replaceFile(join(folder, fileNameOf(subject)), text);
  } catch {
    // Without the file, the generator is simply measured again.
  }
}

export function sortedKey(subject: object): string {
  return JSON.stringify(Object.entries(subject).sort());
}

/**
 * A file name with a hash of the subject, so that machines with a shared home folder have separate files. The file also
 * contains the subject, because two subjects may have the same hash; they then overwrite each other's file.
 */
function fileNameOf(subject: CalibrationKey): string {
  const hash = fnv1a(sortedKey(subject)).toString(16).padStart(8, "0");
  return `calibration-${subject.driver}-${hash}.json`;
}

/** The cache folder of the XDG Base Directory Specification; null if the user has no home folder. */
export function cacheFolder(): string | null {
  const base = Deno.env.get("XDG_CACHE_HOME") || homeCache();
  return base === null ? null : join(base, "plateau");
}

function homeCache(): string | null {
  const home = os.homedir();
  return home ? join(home, ".cache") : null;
}
