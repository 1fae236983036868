/** What one run did over time, in a few words: the label of its steady state and how far it is to be believed. */
import type { Run } from "../../../runner/result/result.ts";
import { freezesText, unsettledText } from "../../../runner/stats/steady_state/unsettled_text.ts";
import { formatMs, formatTick, GLUE } from "./units.ts";

type Warmup = NonNullable<Run["warmup"]>;

/** `warm-up, steady from 1.5 s on, within ± 2.1 %`. */
export function overTimeText(warmup: Warmup): string {
  const { label, steadyFromS, unsettled, freezes } = warmup;
  const from = steadyFromS === null || steadyFromS === 0
    ? ""
    : `steady from ${formatTick(steadyFromS)} s on`;
  const frozen = freezes === undefined || unsettled === "freezes" ? "" : freezesText(freezes);
  return [LABELS[label], from, withinText([warmup]), unsettledText(warmup), frozen]
    .filter(Boolean).join(", ");
}

const LABELS: Readonly<Record<Warmup["label"], string>> = {
  flat: "flat",
  "warm-up": "warm-up",
  slowdown: "slowdown",
  "no-steady-state": "no steady state",
  "too-short": "too short to say",
};

/** Less is said to be within so much. */
const LEAST_SHOWN = 0.001;

/**
 * `within ± 2.1 %`: the run that strays farthest, and `(p50 ± 40 µs)` where latency is so low that its percents are
 * the machine's; "" where the results do not say.
 */
export function withinText(warmups: readonly Warmup[]): string {
  const ratio = Math.max(...warmups.map(({ withinRatio }) => withinRatio ?? -1));
  const ms = Math.max(...warmups.map(({ withinMs }) => withinMs ?? -1));
  if (ratio < 0) return "";
  const percent = `within ± ${Number((100 * Math.max(LEAST_SHOWN, ratio)).toPrecision(2))}${GLUE}%`;
  return ms < 0 ? percent : `${percent} (p50 ± ${formatMs(ms)})`;
}
