/**
 * Converts the thresholds of a k6 script to thresholds on the corresponding figures. A threshold without an equivalent
 * becomes a note.
 */
import * as z from "zod";
import { parseThreshold } from "../claims/threshold.ts";
import { isMarked, unmarkedIn } from "./format/references.ts";
import type { CheckedParts } from "./k6_checks.ts";

const written = z.union([
  z.string(),
  z.looseObject({ threshold: z.string(), abortOnFail: z.unknown().optional() }),
]);

/** Thresholds by metric, which may have tags, as in `http_req_duration{name:login}`. */
export const k6Thresholds = z.record(z.string(), z.union([written, z.array(written)]));

export type K6Thresholds = z.output<typeof k6Thresholds>;

interface ThresholdContext {
  /** Names of the scenario: first in k6, then in the experiment. */
  readonly scenario: string;
  readonly ownScenario: string;
  /** Whether requests have due times, from which Plateau measures latency. */
  readonly isOpen: boolean;
  /** The requests in the scenario's flow. */
  readonly steps: readonly { readonly name?: unknown; readonly expect?: unknown }[];
  readonly placeOf: (metric: string) => string;
}

interface TakenThresholds {
  readonly thresholds: readonly string[];
  readonly notes: readonly string[];
}

/** Either a threshold of Plateau with notes on how it differs from k6's, or the reason why there is no equivalent. */
type TakenThreshold =
  | { readonly text: string; readonly notes: readonly string[] }
  | { readonly why: string };

export function thresholdsFrom(given: K6Thresholds, around: ThresholdContext): TakenThresholds {
  const all = Object.entries(given).flatMap(([metric, list]) =>
    [list].flat().map((one) => {
      const { threshold, abortOnFail = false } = typeof one === "string" ? { threshold: one } : one;
      const taken = takenFrom(metric, threshold, around);
      const called = `the threshold ${metric}: ${threshold} of ${around.placeOf(metric)}`;
      if ("why" in taken) return { text: null, notes: [`left out: ${called}: ${taken.why}`] };
      const aborts = abortOnFail === false ? [] : [
        `${called} does not end the load early (abortOnFail), but is judged after it`,
      ];
      return { text: taken.text, notes: [...taken.notes, ...aborts] };
    })
  );
  return {
    thresholds: all.flatMap(({ text }) => text ?? []),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
  };
}

const METRIC = /^([a-z0-9_]+)(?:\{(.*)\})?$/s;
const EXPRESSION = /^\s*([a-z]+)(?:\(\s*([\d.]+)\s*\))?\s*(<=?|>=?|={2,3}|!=)\s*([\d.]+)\s*$/;

function takenFrom(metric: string, threshold: string, around: ThresholdContext): TakenThreshold {
  const [, name = "", tags] = METRIC.exec(metric) ?? [];
  const [, aggregation = "", percentile, sign, limit] = EXPRESSION.exec(threshold) ?? [];
  const of = METRICS.get(name);
  if (of === undefined) return NO_FIGURE;
  if (sign === undefined || !/^[<>]/.test(sign)) return { why: "Plateau has no threshold like it" };
  const scope = scopeOf(tags, around);
  if ("why" in scope) return scope;
  const isWhole = scope.cells === null;
  const given = { aggregation, percentile, limit: Number(limit), isWhole };
  const figure = of(given, { ...around, steps: scope.steps });
  if ("why" in figure) return figure;
  const text = `${figure.name}${scope.cells ?? ""} ${sign} ${figure.limit}`;
  if ("problems" in parseThreshold(text)) return { why: "Plateau has no threshold like it" };
  return { text, notes: [figure.note ?? [], isWhole ? [] : REDIRECTS].flat() };
}

const REDIRECTS =
  "a threshold of one request does not count redirects that follow the request, because in Plateau " +
  "redirects have figures of their own";

interface TagScope {
  /** The part in parentheses that follows the figure in a threshold and selects requests; null for all requests. */
  readonly cells: string | null;
  readonly steps: ThresholdContext["steps"];
}

/** The requests to which tags restrict a threshold. Only the tags `name` and `scenario` have a counterpart. */
function scopeOf(
  tags: string | undefined,
  { scenario, ownScenario, steps }: ThresholdContext,
): TagScope | { readonly why: string } {
  let scope: TagScope = { cells: null, steps };
  for (const tag of tags?.split(",") ?? []) {
    const [, key = "", value = ""] = /^\s*(\w+)\s*:\s*(.*?)\s*$/s.exec(tag) ?? [];
    if (key === "scenario" && value === scenario) continue;
    if (key !== "name") return { why: `no request has the tag ${tag.trim()}` };
    const named = steps.filter(({ name }) => unmarkedIn(name) === value);
    if (named.length === 0) return { why: `no request has the name ${value}` };
    const isAll = named.length === steps.length;
    if (!isAll && named.some(({ name }) => isMarked(String(name)))) {
      return { why: "the name of its request comes from the environment" };
    }
    scope = { cells: isAll ? null : `("${ownScenario}.${value}")`, steps: named };
  }
  return scope;
}

interface Aggregated {
  readonly aggregation: string;
  readonly percentile: string | undefined;
  readonly limit: number;
  readonly isWhole: boolean;
}

type FigureLike =
  | { readonly name: string; readonly limit: string; readonly note?: string }
  | { readonly why: string };

type MetricLike = (
  given: Aggregated,
  around: Pick<ThresholdContext, "isOpen" | "steps">,
) => FigureLike;

const NO_FIGURE = { why: "Plateau has no such figure" } as const;

const AGGREGATIONS = new Map([["avg", "mean"], ["med", "p50"], ["min", "min"], ["max", "max"]]);

const duration: MetricLike = ({ aggregation, percentile, limit, isWhole }, { isOpen }) => {
  const name = aggregation === "p" ? `p${Number(percentile)}` : AGGREGATIONS.get(aggregation);
  if (name === undefined) return NO_FIGURE;
  // k6 measures from the moment of sending, as Plateau does for service time. For a single request
  // in a flow, Plateau has only the latency.
  return { name: isOpen && isWhole ? `service.${name}` : name, limit: `${limit}ms` };
};

const failed: MetricLike = ({ aggregation, limit }, { steps }) => {
  if (aggregation !== "rate" || limit > 1) return NO_FIGURE;
  if (steps.some(expectsFailure)) {
    return { why: "a check expects a status that k6 counts as failed, and Plateau does not" };
  }
  return {
    name: "errors",
    limit: `${Number((limit * 100).toPrecision(12))}%`,
    note: "http_req_failed became errors, which also counts responses that fail a check",
  };
};

const requests: MetricLike = ({ aggregation, limit }) => {
  const note =
    "http_reqs became rate or requests, which count complete responses, and not failed requests";
  if (aggregation === "rate") return { name: "rate", limit: `${limit}/s`, note };
  return aggregation === "count" ? { name: "requests", limit: String(limit), note } : NO_FIGURE;
};

const METRICS: ReadonlyMap<string, MetricLike> = new Map([
  ["http_req_duration", duration],
  ["http_req_failed", failed],
  ["http_reqs", requests],
]);

/** Whether the check expects a status outside 200 to 399, which k6 counts as failed. */
function expectsFailure({ expect }: ThresholdContext["steps"][number]): boolean {
  const { status = [] }: CheckedParts = Object(expect);
  return [status].flat().some((one) => one < 200 || one > 399);
}
