/** How to run this same program again: compiled, it is the binary; from source, Deno on main.ts. */
import { fileURLToPath } from "node:url";

/** Program and arguments that run Plateau with `args`, from any folder. */
export function selfCommand(args: readonly string[]): [program: string, args: string[]] {
  if (Deno.build.standalone) return [Deno.execPath(), [...args]];
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  return [Deno.execPath(), ["run", "-A", main, ...args]];
}
