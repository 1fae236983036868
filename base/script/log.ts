/** Where `console.log` of a script goes: to standard error, because standard output is for results. */
import { withoutSecrets } from "../secrets.ts";

const encoder = new TextEncoder();

export function logLine(line: string): void {
  Deno.stderr.writeSync(encoder.encode(`${withoutSecrets(line)}\n`));
}
