/** Folders of a target's own, for as long as it runs. */
import { messageOf, TargetError } from "../base/errors.ts";

/** Makes an empty one; whoever asks removes it. Throws a TargetError where nothing can be written. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return Deno.makeTempDirSync({ prefix });
  } catch (error) {
    throw new TargetError(`Cannot make a temporary folder: ${messageOf(error)}`, [
      "set TMPDIR to a folder in which this user may write",
    ]);
  }
}
