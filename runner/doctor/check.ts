/**
 * What a check of `plateau doctor` is: it judges one thing of what was seen, and says what to do. Pure:
 * `sight.ts` has looked. One line a check in `registry.ts`.
 */
import { z } from "zod";
import type { Sight } from "./sight.ts";

/** ok: fit to measure on; advice: there is something to do; unknown: it can't be told here. */
export const VERDICTS = ["ok", "advice", "unknown"] as const;

export const judgement = z.strictObject({
  found: z.string(),
  verdict: z.enum(VERDICTS),
  advice: z.string().nullable().describe("What to do and why; null: nothing"),
});
export type Judgement = z.output<typeof judgement>;

export interface Check {
  /** Short, as in the first column. */
  readonly title: string;
  readonly judge: (sight: Sight) => Judgement;
}

export function ok(found: string): Judgement {
  return { found, verdict: "ok", advice: null };
}

export function advise(found: string, advice: string): Judgement {
  return { found, verdict: "advice", advice };
}

export function unknown(why: string): Judgement {
  return { found: `can't be told: ${why}`, verdict: "unknown", advice: null };
}

const count = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

/** `146,993`. */
export function countText(value: number): string {
  return count.format(value);
}

/** `0.0312`. */
export function figureText(value: number): string {
  return threeDigits.format(value);
}

/** A share, 0–1, as `3.2 %`. */
export function shareText(share: number): string {
  return `${figureText(Math.round(share * 1_000) / 10)} %`;
}

/** `2 cores`. */
export function coresWord(cores: number): string {
  return `${figureText(cores)} ${cores === 1 ? "core" : "cores"}`;
}
