/**
 * The profile runs of an experiment, after all measured ones: as many for each cell as the experiment file says, with
 * the cells in the file's order.
 */
import { dirname, join } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import { replaceFile, writeAll } from "../../base/whole_file.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import type { ProcessProfile } from "../../targets/profile/profilers.ts";
import type { TargetProfile } from "../result/profile.ts";
import type { Run } from "../result/result.ts";
import type { ResultFile } from "../result/result_file.ts";
import { cellKey } from "../../base/figures/cells.ts";
import { type ProfileContext, type ProfilePlace, profileRun } from "./profile_run.ts";

interface ProfileRequest {
  /** Number of profile runs of each cell. */
  readonly runs: number;
  /** Cells that can be measured. */
  readonly cells: readonly Cell[];
  readonly outDir: string;
}

/** Makes the profile runs, except those that the result file already has, as after a resume. */
export async function profileCells(
  { runs, cells, outDir }: ProfileRequest,
  file: ResultFile,
  context: Omit<ProfileContext, "keep">,
): Promise<void> {
  const keep = (place: ProfilePlace, process: ProcessProfile): Promise<string> =>
    keepFile(outDir, place, process, cells.indexOf(place.cell) + 1);
  for (let run = 1; run <= runs; run++) {
    for (const cell of cells) {
      if (context.signal.aborted) return;
      const measured = runsOf(cell, file.results.runs);
      if (measured.length === 0 || isMade({ cell, run }, file.results.profiles ?? [])) continue;
      const { onProgress } = context;
      onProgress({ kind: "note", text: `Profiles ${cell.target}, ${cell.scenario}` });
      const profile = await profileRun({ cell, run }, measured, { ...context, keep });
      if (profile === null) return;
      for (const note of profile.notes) {
        onProgress({ kind: "note", text: `Profile of ${cell.target}: ${note}` });
      }
      file.results.profiles = [...file.results.profiles ?? [], profile];
      await file.save();
    }
  }
}

function runsOf(cell: Cell, runs: readonly Run[]): Run[] {
  const key = cellKey(cell);
  return runs.filter((run) => cellKey(run) === key);
}

function isMade({ cell, run }: ProfilePlace, profiles: readonly TargetProfile[]): boolean {
  const key = cellKey(cell);
  return profiles.some((made) => made.run === run && cellKey(made) === key);
}

/** `profiles/002-express-static-1-4711.cpuprofile`: cell, target, scenario, run and process. */
async function keepFile(
  outDir: string,
  { cell: { target, scenario }, run }: ProfilePlace,
  { pid, ending, sampled }: ProcessProfile,
  number: number,
): Promise<string> {
  const parts = [String(number).padStart(3, "0"), target, scenario, run, pid];
  const name = `${parts.join("-").replaceAll(/[^\p{L}\p{N}._-]/gu, "_")}${ending}`;
  const path = join(outDir, "profiles", name);
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    await replaceFile(path, (file) => writeAll(file, sampled?.bytes ?? new Uint8Array()));
    return `profiles/${name}`;
  } catch (error) {
    throw new TargetError(`Cannot write ${path}: ${messageOf(error)}`);
  }
}
