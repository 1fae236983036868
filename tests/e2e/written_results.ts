/** Results on the disk, at rates that a test says. */
import { join } from "node:path";
import { type Rates, resultsAt } from "../report/rates.ts";

/** Writes results at these rates into a folder of their own, and gives its path; all of one start, unless named. */
export function written(folder: string, name: string, rates: Rates, startedAt?: string): string {
  const path = join(folder, name);
  Deno.mkdirSync(path, { recursive: true });
  const results = { ...resultsAt(rates), ...(startedAt !== undefined && { startedAt }) };
  Deno.writeTextFileSync(join(path, "results.json"), JSON.stringify(results));
  return path;
}
