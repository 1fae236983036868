/** Which files are scripts, by their names. */
import { extname } from "node:path";

/** Extensions of modules with types. */
export const TYPED: readonly string[] = [".ts", ".mts"];
const UNTYPED: readonly string[] = [".js", ".mjs"];

/** A k6 script is one too, and recognised by what it imports. */
export function isScript(path: string): boolean {
  return [...TYPED, ...UNTYPED].includes(extname(path));
}
