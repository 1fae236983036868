/** Lets a server of Plateau's own report its runtime counters, if the process that started it requests them. */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { CounterSink } from "./counter_records.ts";

/** The variable that names the reporting module for V8's runtimes. */
const COUNTERS_MODULE = "PLATEAU_COUNTERS";

/** The environment in which a server of Plateau's own reports counters. */
export function countersEnv(
  { counters }: { readonly counters?: CounterSink },
): Record<string, string> {
  return counters === undefined ? {} : { [COUNTERS_MODULE]: counters.module };
}

/** Starts to report counters if that is requested. Must be called before the server listens. */
export function reportCounters(): void {
  const module = Deno.env.get(COUNTERS_MODULE);
  if (module === undefined) return;
  try {
    createRequire(import.meta.url)(fileURLToPath(module)); // a compiled program can import only its own modules
  } catch {
    // the server is then measured without counters, and a note says so
  }
}
