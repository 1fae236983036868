/** Measurements as a server leaves them that takes connections and never answers. */
import type { Measurement } from "../../runner/result/result.ts";

const COUNTED = { passed: 0, failed: 0 };

/** Turns all that completed into time-outs of 5 s, or, with `ends`, into something else. */
export function silence<Silenced extends Measurement>(
  run: Silenced,
  ends: "timeout" | "unfinished" | "dropped" = "timeout",
): Silenced {
  const due = 50;
  const count = (of: typeof ends): number => of === ends ? due : 0;
  return {
    ...run,
    requests: {
      due,
      completed: 0,
      failed: count("timeout"),
      unfinished: count("unfinished"),
      dropped: count("dropped"),
    },
    errors: ends === "timeout" ? { timeout: due } : {},
    reasons: ends === "timeout" ? { "No answer in 5 s": due } : {},
    status: {},
    checks: COUNTED,
    rate: 0,
    load: { ...run.load, timeout: 5_000 },
  };
}
