/** Counts unexpected responses with a status other than 2xx, and words the finding. */
import type { Measurement } from "../../runner/result/result.ts";
import { sum } from "../writing/spread.ts";
import { formatCount } from "../writing/units.ts";

/**
 * `14,892 of 14,892 responses were 404`, `9,000 of 14,892 responses were 404, and 12 were 503`; "" if all were 2xx or
 * as expected. Without a full stop.
 */
export function otherStatusesText(
  { status, checks, requests }: Pick<Measurement, "status" | "checks" | "requests">,
): string {
  const found = Object.entries(status)
    .filter(([code, count]) => count > 0 && !code.startsWith("2"))
    .sort(([, a], [, b]) => b - a);
  const areExpected = checks.passed > 0 && checks.failed === 0;
  if (found.length === 0 || areExpected) return "";
  const [[most, count], ...rest] = found;
  const were = (count: number): string => count === 1 ? "was" : "were";
  const of = `${formatCount(count)} of ${formatCount(requests.completed)} responses ${
    were(count)
  } ${most}`;
  if (rest.length === 0) return of;
  const others = sum(rest, ([, count]) => count);
  const left = formatCount(others);
  return rest.length === 1
    ? `${of}, and ${left} ${were(others)} ${rest[0][0]}`
    : `${of}, and ${left} had ${rest.length} other statuses outside 2xx`;
}
