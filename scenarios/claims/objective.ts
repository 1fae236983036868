/**
 * A rule that a capacity must meet, as the share of requests that may miss it: the p99 is below 50 ms if less than 1 %
 * of the requests take 50 ms or longer. A request that ended in an error, or was never sent, misses every limit. So
 * does a request with a wrong response, if more responses are wrong than late. For streams, the share is that of
 * messages; a message that a stream still waited for when it was cut or refused misses every limit.
 */
import * as z from "zod";
import { NAMED_FIGURES } from "../../base/figures/figure.ts";
import { margin, parseThreshold, type Threshold } from "./threshold.ts";
import { quotedOpenly } from "../../base/secrets.ts";

export interface Objective {
  readonly text: string;
  /** The time of messages that the rule limits; null: the rule is about requests. */
  readonly messages: typeof MESSAGE_TIMES[number] | null;
  /** Share of requests or messages that may miss the rule, above 0. */
  readonly allowed: number;
  /** For a rule about latency: whether a request with this latency in ms misses it. Null: only the outcome counts. */
  readonly isBeyond: ((latencyMs: number) => boolean) | null;
  /** The limit in `isBeyond`, in ms; 0 if the rule does not limit a time. */
  readonly limitMs: number;
}

/** The times of messages that a search for a capacity may limit. */
const MESSAGE_TIMES = ["ttfe", "gap", "ttft"] as const;

/** Why a rule about messages is impossible for whole responses. */
export const NO_MESSAGES =
  "Cannot search for a capacity by times of messages: no response is a stream";

/** The allowed share in place of 0, which no finite trial can prove. */
const NONE = 1e-6;

/** The rule as the share of requests or messages that may miss it; null if the rule is not about such a share. */
export function objectiveOf(rule: Threshold): Objective | null {
  if (rule.against !== "limit" || rule.selector !== undefined) return null;
  const { text, figure, relation, limit } = rule;
  const isBelow = relation === "<" || relation === "<=";
  const { distribution, statistic } = NAMED_FIGURES[figure];
  const messages = MESSAGE_TIMES.find((times) => times === distribution) ?? null;
  const isTimed = distribution === "latency" || messages !== null;
  if (isTimed && typeof statistic === "number" && isBelow) {
    return {
      text,
      messages,
      allowed: Number(((100 - statistic) / 100).toPrecision(12)),
      isBeyond: relation === "<" ? (ms) => ms >= limit : (ms) => ms > limit,
      limitMs: limit,
    };
  }
  const allowed = figure === "success" && !isBelow
    ? Number((1 - limit).toPrecision(12))
    : figure === "errors" && isBelow
    ? limit
    : null;
  if (allowed === null || allowed >= 1) return null;
  return { text, messages: null, allowed: Math.max(allowed, NONE), isBeyond: null, limitMs: 0 };
}

/** The text of a rule, as the share of requests that may miss it. */
export const objective = z.string().transform((text, context): Objective => {
  const parsed = parseThreshold(text);
  if ("problems" in parsed) {
    for (const problem of parsed.problems) context.addIssue(problem);
    return z.NEVER;
  }
  const objective = objectiveOf(parsed.threshold);
  if (objective !== null) return objective;
  const { distribution } = NAMED_FIGURES[parsed.threshold.figure];
  const fix = distribution === "message"
    ? "a search varies the rate of requests, but a WebSocket sends its messages by a clock of its own; " +
      "measure several numbers of connections, with this rule as a threshold"
    : 'write a percentile of the latency, or of ttfe, gap or ttft of streams, success or errors, such as "p99 < 50ms"';
  context.addIssue(`Cannot search for a capacity by ${quotedOpenly(text)}: ${fix}`);
  return z.NEVER;
});

const MOST_WIDTH = 0.5;
const LEAST_WIDTH = 0.005;

/** How far the interval of a capacity may extend to either side, such as `2%`; becomes a share. */
export const searchWidth = margin.refine(
  (ratio) => ratio >= LEAST_WIDTH && ratio <= MOST_WIDTH,
  "Cannot use this width: it must be from 0.5% to 50%",
);
