/** What tells a run from the others: the first columns of either CSV. */
import type { Run } from "../../runner/result/result.ts";
import type { Row } from "../writing/csv.ts";

export function identityOf(run: Run): Row {
  const { target, scenario, repetition, order } = run;
  return { target, scenario, repetition, order };
}

/** One column a factor. */
export function parametersOf({ parameters }: Run): Row {
  return Object.fromEntries(
    Object.entries(parameters).map(([path, value]) => [
      path,
      typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value),
    ]),
  );
}
