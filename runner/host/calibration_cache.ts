/**
 * What was calibrated, remembered in the user's cache folder: one small file for each machine, version
 * and driver. Nothing depends on it being there: a file that can't be read or written is no failure.
 */
import os from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { fnv1a } from "../../base/random.ts";
import { VERSION } from "../../base/version.ts";
import { readCarefully } from "../../base/careful_file.ts";
import { replaceFile } from "../../base/whole_file.ts";
import type { DriverName } from "../load/engine/driver.ts";

const calibration = z.strictObject({
  peakThroughput: z.number().positive().describe("Requests per second of one worker"),
  baselineLatency: z.number().positive().describe("Median latency of one connection, ms"),
});
export type Calibration = z.output<typeof calibration>;

/** What a calibration holds for; with anything else it is measured anew. */
export interface CalibrationKey {
  readonly cpu: string;
  /** Of the machine. */
  readonly cores: number;
  readonly kernel: string;
  readonly plateau: string;
  readonly deno: string;
  readonly driver: DriverName;
}

/** A reader that zod would compile takes longer than all that it saves. */
const ONCE = { jitless: true };
const record = z.strictObject({ of: z.record(z.string(), z.json()), calibration });

function subjectHere(driver: DriverName): CalibrationKey {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() || "unknown",
    cores: cpus.length,
    kernel: os.release(),
    plateau: VERSION,
    deno: Deno.version.deno,
    driver,
  };
}

/** Of this machine, version and driver; null when none is remembered. */
export function rememberedCalibration(driver: DriverName): Calibration | null {
  const folder = cacheFolder();
  return folder === null ? null : readCalibration(folder, subjectHere(driver));
}

export async function rememberCalibration(driver: DriverName, found: Calibration): Promise<void> {
  const folder = cacheFolder();
  if (folder !== null) await writeCalibration(folder, subjectHere(driver), found);
}

export function readCalibration(
  folder: string,
  subject: CalibrationKey,
): Calibration | null {
  try {
    const text = readCarefully(join(folder, fileNameOf(subject)), "rememberedFile");
    const { of, calibration } = record.parse(JSON.parse(text), ONCE);
    return sortedKey(of) === sortedKey(subject) ? calibration : null;
  } catch {
    return null;
  }
}

/** Whole or not at all, as another Plateau may be reading. */
export async function writeCalibration(
  folder: string,
  subject: CalibrationKey,
  calibration: Calibration,
): Promise<void> {
  const text = JSON.stringify({ of: subject, calibration }) + "\n";
  try {
    await Deno.mkdir(folder, { recursive: true });
    await replaceFile(join(folder, fileNameOf(subject)), text);
  } catch {
    // It is measured again, then.
  }
}

export function sortedKey(subject: object): string {
  return JSON.stringify(Object.entries(subject).sort());
}

/** Machines that share a home keep apart. The subject is in the file: two of one name push each other out. */
function fileNameOf(subject: CalibrationKey): string {
  const hash = fnv1a(sortedKey(subject)).toString(16).padStart(8, "0");
  return `calibration-${subject.driver}-${hash}.json`;
}

/** As the XDG Base Directory Specification has it; null where there is no home. */
export function cacheFolder(): string | null {
  const base = Deno.env.get("XDG_CACHE_HOME") || homeCache();
  return base === null ? null : join(base, "plateau");
}

function homeCache(): string | null {
  const home = os.homedir();
  return home ? join(home, ".cache") : null;
}
