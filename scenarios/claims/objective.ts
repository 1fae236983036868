/**
 * A rule for a search for capacity, in the form of the share of requests that may break it. For example, the p99 is
 * below 50 ms if less than 1 % of the requests take 50 ms or longer. A request that failed or was never sent breaks
 * every rule. If there are more wrong responses than late ones, the wrong ones are counted instead of the late ones. If
 * the rule is about the messages of streams, the share is one of messages, and a message breaks the rule if a stream
 * was still waiting for the message when the stream was cut off or refused.
 */
import * as z from "zod";
import { NAMED_FIGURES } from "../../base/figures/figure.ts";
import { margin, parseThreshold, type Threshold } from "./threshold.ts";
import { quotedOpenly } from "../../base/secrets.ts";

export interface Objective {
  readonly text: string;
  /** Which time of messages the rule limits; null if the rule is about requests. */
  readonly messages: typeof MESSAGE_TIMES[number] | null;
  /** The share of requests or messages that may break the rule; above 0. */
  readonly allowed: number;
  /** Whether a latency in ms is beyond the limit of the rule; null if only the outcome of a request counts. */
  readonly isBeyond: ((latencyMs: number) => boolean) | null;
  /** The limit that `isBeyond` compares with, in ms; 0 if the rule does not limit a time. */
  readonly limitMs: number;
}

/** The times of messages that a rule may limit. */
const MESSAGE_TIMES = ["ttfe", "gap", "ttft"] as const;

/** The problem with a rule about messages if responses are not streams. */
export const NO_MESSAGES =
  "Cannot search for a capacity by times of messages: no response is a stream";

/** Used instead of an allowed share of 0, which no finite trial can prove. */
const NONE = 1e-6;

/** Converts a threshold to a rule; null if it can't be expressed as a share of requests or messages. */
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

/** Parses the text of a rule. */
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

/** Parses how far the interval of a capacity may extend to either side, such as `2%`, into a share. */
export const searchWidth = margin.refine(
  (ratio) => ratio >= LEAST_WIDTH && ratio <= MOST_WIDTH,
  "Cannot use this width: it must be from 0.5% to 50%",
);
