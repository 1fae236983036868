/** `plateau ab` in a scratch repository. */
import { join } from "node:path";
import { type Ended, plateau } from "./plateau.ts";
import type { ScratchRepository } from "./scratch_repository.ts";

export function ab(
  { path, env }: Pick<ScratchRepository, "path" | "env">,
  ...args: string[]
): Promise<Ended> {
  return plateau(["ab", ...args, "--out", join(path, "../out")], { cwd: path, env });
}

/** Where it matters what is built, not what is measured. */
export const ONCE = ["--repeat", "1", "--order", "blocks"];
