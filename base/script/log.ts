/** Where `console.log` of a script goes: to standard error, as results have standard output. */
import { withoutSecrets } from "../secrets.ts";

const encoder = new TextEncoder();

export function logLine(line: string): void {
  Deno.stderr.writeSync(encoder.encode(`${withoutSecrets(line)}\n`));
}
