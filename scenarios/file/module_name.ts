/** Recognizes scripts by the extensions of their names. */
import { extname } from "node:path";

/** Extensions of modules in TypeScript. */
export const TYPED: readonly string[] = [".ts", ".mts"];
const UNTYPED: readonly string[] = [".js", ".mjs"];

/**
 * Whether the file name is that of a script. Scripts for k6 are included; callers tell them from experiments by their
 * imports.
 */
export function isScript(path: string): boolean {
  return [...TYPED, ...UNTYPED].includes(extname(path));
}
