/** A figure or a ratio held against what a claim allows. */
import { formatRatio } from "../comparison/words.ts";
import type { Range } from "../runs/figure_range.ts";
import { type Allowed, marginOf, outcomeOf } from "./allowed.ts";
import { type Amount, whyNoInterval, widened } from "./amount.ts";
import { type Constant, whyOpen } from "./constant.ts";
import type { Finding } from "./finding.ts";

export interface Judged {
  readonly range: Range;
  readonly allowed: Allowed;
  readonly of: Amount;
  /** What it is divided by; null: nothing. */
  readonly to: Amount | Constant | null;
  readonly found: string;
  readonly sentence: string;
}

/** The outcome, and where there is none, why. */
export function decided({ range, allowed, of, to, found, sentence }: Judged): Finding {
  const constant = to === null || "cell" in to ? null : to;
  const amounts = to === null || !("cell" in to) ? [of] : [of, to];
  const outcome = outcomeOf(widened(range.interval, amounts), allowed);
  const margin = marginOf(range.value, allowed);
  if (outcome !== "inconclusive") return { outcome, found, sentence, margin };
  const open = amounts.find((amount) => amount.open !== null)?.open;
  const isOpen = open && outcomeOf(range.interval, allowed) !== "inconclusive";
  const why = amounts.some((amount) => amount.range.interval === null)
    ? whyNoInterval(amounts)
    : isOpen
    ? open.why
    : (constant && whyOpen(constant)) ??
      "the interval lies across the limit, more runs would tell";
  return { outcome, found, sentence: `${sentence}; ${why}`, margin };
}

/** `2.14× [2.01, 2.28]`. */
export function ratioText({ value, interval }: Range): string {
  return formatRatio(value, interval);
}
