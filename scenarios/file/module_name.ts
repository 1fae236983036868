/** Which files are scripts, judging by their names. */
import { extname } from "node:path";

/** Extensions of modules with types. */
export const TYPED: readonly string[] = [".ts", ".mts"];
const UNTYPED: readonly string[] = [".js", ".mjs"];

/** Whether a file is a script. A k6 script is one, too, and is recognised later by its imports. */
export function isScript(path: string): boolean {
  return [...TYPED, ...UNTYPED].includes(extname(path));
}
