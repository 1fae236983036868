// deno-lint-ignore-file no-console -- printing the tables is what this program is for
/**
 * `deno run -A bench/statistics.ts` tests how often Plateau's statistics are right. It takes some minutes, and exits
 * with code 1 if a promise is not kept.
 */
import { PROMISES } from "./statistics/promises.ts";
import { isKept, sectionLines } from "./table.ts";

for (const promise of PROMISES) {
  const section = promise();
  console.log(sectionLines(section).join("\n"));
  if (section.rows.some((row) => isKept(row) === false)) Deno.exitCode = 1;
}
