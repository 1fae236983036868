/** The folder of one experiment's results. */
import { join } from "node:path";
import { messageOf, UserError } from "../scenarios/errors.ts";

/** Makes the given folder, or `results/NAME/TIME` under the working directory. Throws a UserError when it can't. */
export async function makeOutDir(given: string | undefined, name: string): Promise<string> {
  const dir = given ?? await freeDir(join("results", name, timeStamp(new Date())));
  try {
    await Deno.mkdir(dir, { recursive: true });
    return dir;
  } catch (error) {
    const message = `Cannot make the folder ${dir} for the results: ${messageOf(error)}`;
    throw new UserError([{ place: "--out", message }]);
  }
}

/** `2026-01-31T12-00-00Z`: no colons, which Windows refuses in file names. */
function timeStamp(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

/** Two runs may start within a second. */
async function freeDir(dir: string): Promise<string> {
  for (let again = 1;; again++) {
    const candidate = again === 1 ? dir : `${dir}-${again}`;
    if (!await exists(candidate)) return candidate;
  }
}

function exists(path: string): Promise<boolean> {
  return Deno.lstat(path).then(() => true, () => false);
}
