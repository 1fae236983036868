/**
 * The result of `plateau plan`, remembered in the user's cache folder: one small file for each machine and experiment.
 * Nothing depends on the file: if it can't be read or written, that is not a failure.
 */
import { join } from "node:path";
import * as z from "zod";
import { fnv1a } from "../../base/random.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { readCarefully } from "../../base/careful_file.ts";
import { replaceFile } from "../../base/whole_file.ts";
import { type Detectable, detectable } from "../result/invocation.ts";
import { cacheFolder, sortedKey } from "./calibration_cache.ts";

const record = z.strictObject({ of: z.record(z.string(), z.json()), detectable });

/** The result of `plateau plan` for this machine and the experiment of that name; null if none is remembered. */
export function rememberedPlan(experiment: string): Detectable | null {
  const subject = subjectHere(experiment);
  const path = pathOf(subject);
  if (path === null) return null;
  try {
    const { of, detectable } = record.parse(JSON.parse(readCarefully(path, "rememberedFile")));
    return sortedKey(of) === sortedKey(subject) ? detectable : null;
  } catch {
    return null;
  }
}

/** Replaces the file atomically, because another Plateau may be reading it. */
export async function rememberPlan(experiment: string, detectable: Detectable): Promise<void> {
  const subject = subjectHere(experiment);
  const path = pathOf(subject);
  if (path === null) return;
  try {
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await replaceFile(path, JSON.stringify({ of: subject, detectable }) + "\n");
  } catch {
    // Without the file, the next report merely does not cite the plan.
  }
}

function subjectHere(experiment: string): Record<string, string | number> {
  const { cpu, cores, kernel, hostname } = describeMachine();
  return { experiment, cpu, cores, kernel, hostname };
}

/**
 * Path of the file; null if the user has no home folder. The file also contains the subject, because two subjects may
 * have the same hash; they then overwrite each other's file.
 */
function pathOf(subject: Record<string, string | number>): string | null {
  const folder = cacheFolder();
  const hash = fnv1a(sortedKey(subject)).toString(16).padStart(8, "0");
  return folder === null ? null : join(folder, `plan-${hash}.json`);
}
