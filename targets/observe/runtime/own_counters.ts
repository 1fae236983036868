/** Lets one of Plateau's own servers report its runtime counters if the process that started it requests them. */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { CounterSink } from "./counter_records.ts";

/** The environment variable that names the module which makes V8's runtimes report. */
const COUNTERS_MODULE = "PLATEAU_COUNTERS";

/** The environment that makes one of Plateau's own servers report counters. */
export function countersEnv(
  { counters }: { readonly counters?: CounterSink },
): Record<string, string> {
  return counters === undefined ? {} : { [COUNTERS_MODULE]: counters.module };
}

/** Starts to report counters if the environment requests it. Must be called before the server listens. */
export function reportCounters(): void {
  const module = Deno.env.get(COUNTERS_MODULE);
  if (module === undefined) return;
  try {
    // A compiled program can import only its own modules, so this one is loaded by `require`.
    createRequire(import.meta.url)(fileURLToPath(module));
  } catch {
    // the server is measured without counters, and a note in the results says so
  }
}
