/** What an experiment without a run is about to measure. */
import type { Results } from "../../../runner/result/result.ts";
import { namesOf } from "../runs/cells.ts";
import { requestText } from "./request.ts";
import { counted } from "../numbers/words.ts";

/** `hono, express in static (GET /static): 6 runs`. */
export function toComeText(results: Results): string {
  const { experiment, flags, planned } = results;
  const asked = (kind: "target" | "scenario"): string[] => {
    const only = flags?.only?.[`${kind}s`];
    return namesOf(kind, results).filter((name) => only?.includes(name) ?? true);
  };
  const scenarios = asked("scenario").map((name) => {
    const request = requestText(name, experiment.scenarios);
    return request === "" ? name : `${name} (${request})`;
  });
  return `${asked("target").join(", ")} in ${scenarios.join(", ")}: ${counted(planned, "run")}`;
}
