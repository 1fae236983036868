/** Recognizes scripts by the extensions of their names. */
import { extname } from "node:path";

/** Extensions of modules in TypeScript. */
export const TYPED: readonly string[] = [".ts", ".mts"];
const UNTYPED: readonly string[] = [".js", ".mjs"];

/** Whether a file is a script by its name. This includes k6 scripts, which are recognized later by their imports. */
export function isScript(path: string): boolean {
  return [...TYPED, ...UNTYPED].includes(extname(path));
}
