/**
 * The form of a check of `plateau doctor`. A check is a constant in `checks.ts`; it judges one of the facts from
 * `observation.ts` and says what to do. Pure.
 */
import * as z from "zod";
import type { HostFacts } from "./observation.ts";

/** ok: fit to measure on; advice: something should be done; unknown: not visible here. */
const CHECK_VERDICTS = ["ok", "advice", "unknown"] as const;

export const checkResult = z.strictObject({
  found: z.string(),
  verdict: z.enum(CHECK_VERDICTS),
  advice: z.string().nullable().describe("What to do and why; null: nothing to do"),
});
export type CheckResult = z.output<typeof checkResult>;

export interface DoctorCheck {
  /** Short title, shown in the first column. */
  readonly title: string;
  readonly run: (sight: HostFacts) => CheckResult;
}

export function ok(found: string): CheckResult {
  return { found, verdict: "ok", advice: null };
}

export function advise(found: string, advice: string): CheckResult {
  return { found, verdict: "advice", advice };
}

export function unknown(why: string): CheckResult {
  return { found: `unknown: ${why}`, verdict: "unknown", advice: null };
}

const count = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

/** The number with thousands separators, such as `146,993`. */
export function countText(value: number): string {
  return count.format(value);
}

/** The number rounded to three significant digits, such as `0.0312`. */
export function threeDigitsText(value: number): string {
  return threeDigits.format(value);
}

/** A share from 0 to 1 as a percentage, such as `3.2 %`. */
export function shareText(share: number): string {
  return `${threeDigitsText(Math.round(share * 1_000) / 10)} %`;
}

/** The number with its unit, such as `2 cores`. */
export function coresWord(cores: number): string {
  return `${threeDigitsText(cores)} ${cores === 1 ? "core" : "cores"}`;
}
