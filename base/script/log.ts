/** Where `console.log` of a script goes: to standard error, because standard output is for results. */
import { harmless, withoutCommands } from "../control.ts";
import { withoutSecrets } from "../secrets.ts";

const encoder = new TextEncoder();

/** What is logged may be from a server, so it must neither steer a terminal nor start a command of a CI service. */
export function logLine(text: string): void {
  const shown = withoutSecrets(text).split("\n").map(harmless).join("\n");
  Deno.stderr.writeSync(encoder.encode(`${withoutCommands(shown)}\n`));
}
