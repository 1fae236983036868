/** Lets a server of Plateau's own report its runtime counters, where whoever started it wants them. */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { CounterSink } from "./counter_records.ts";

/** Names the module that reports; for V8's runtimes. */
const COUNTERS_MODULE = "PLATEAU_COUNTERS";

/** The environment in which a server of Plateau's own reports. */
export function countersEnv(
  { counters }: { readonly counters?: CounterSink },
): Record<string, string> {
  return counters === undefined ? {} : { [COUNTERS_MODULE]: counters.module };
}

/** Belongs before the server listens. Without effect unless it is requested. */
export function reportCounters(): void {
  const module = Deno.env.get(COUNTERS_MODULE);
  if (module === undefined) return;
  try {
    createRequire(import.meta.url)(fileURLToPath(module)); // a compiled program imports only its own parts
  } catch {
    // it is measured without them, and a note says so
  }
}
