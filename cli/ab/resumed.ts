/** What an `ab` that was interrupted has measured, to go on from. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Problem, UserError } from "../../base/errors.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import { hashSettings, openExperiment } from "../../runner/experiment/provenance.ts";
import { refusals } from "../../runner/experiment/resume.ts";
import { contradictions } from "../../runner/experiment/resume_contradictions.ts";
import type { Results } from "../../runner/result/result.ts";
import type { Planned } from "../experiment/plan.ts";
import { readResumable } from "../results/reading.ts";

/** Null where the folder holds no results. */
export async function keptIn(dir: string): Promise<Results | null> {
  return existsSync(join(dir, "results.json")) ? await readResumable(dir) : null;
}

/** Throws a UserError with every reason why new runs would not be like those that there are. */
export function checkResumable(kept: Results, planned: Planned, dir: string): void {
  const isSame = hashSettings(openExperiment(planned.experiment)) === kept.settings &&
    kept.seed === planned.seed;
  const problems: Problem[] = [
    ...refusals(kept, { version: VERSION, machine: describeMachine() }),
    ...isSame ? contradictions(kept, planned) : [{
      place: dir,
      message:
        "Cannot resume: the commits, the file or the flags are others than those of these results",
      fix: "give them as before, or choose another folder with --out",
    }],
  ];
  if (problems.length > 0) throw new UserError(problems);
}
