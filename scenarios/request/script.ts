/**
 * A scenario made ready to be sent: every choice drawn by the seed, every value that is known before the load
 * in its place. Pure.
 */
import {
  type CaptureSpec,
  type FlowStepSpec,
  isRequest,
  type RequestStepSpec,
  stepsOfPage,
  type ThinkSpec,
} from "./flow.ts";
import { checkLimit } from "../../base/limits.ts";
import { type Draw, drawBy, shuffled } from "../../base/random.ts";
import type { WireRequest } from "../../base/http/request.ts";
import { type Expectation, type RequestSpec, wireRequest } from "./request.ts";
import type { Scenario } from "./scenario.ts";
import { fillTemplate, namesIn } from "./template.ts";
import { countOfValueVariants, drawValues, type ValueSpecs } from "./values.ts";

export interface ScriptRequest {
  readonly kind: "request";
  readonly wire: WireRequest;
  /** One object for all requests that differ in their values alone. */
  readonly expect: Expectation;
  readonly captures: readonly CaptureSpec[];
}

export interface ThinkStep {
  readonly kind: "think";
  readonly thinkMs: number;
}

export type Script =
  /** Single requests: `sequence` holds indexes into `requests`, gone through again and again. */
  | {
    readonly kind: "requests";
    readonly requests: readonly ScriptRequest[];
    readonly sequence: readonly number[];
  }
  /**
   * A user journey: `users` are the values of virtual user 0, 1, 2 …, round and round; captured values are
   * filled in during the journey.
   */
  | {
    readonly kind: "flow";
    readonly steps: readonly (ScriptRequest | ThinkStep)[];
    readonly users: readonly Readonly<Record<string, string>>[];
  };

export function scriptOf(scenario: Scenario, seed: number): Script {
  const { values } = scenario;
  const draw = drawBy(seed);
  if ("flow" in scenario) return flowScript(scenario.flow, values, draw);
  if ("page" in scenario) return flowScript(stepsOfPage(scenario), values, draw);
  const mix = "mix" in scenario ? scenario.mix : [{ ...scenario, weight: 1 }];
  checkSize(mix.map(wireRequest), values);
  const variants = mix.map((request) => variantsOf(request, values, draw));
  const weights = mix.map(({ weight }) => weight);
  return {
    kind: "requests",
    requests: variants.flat(),
    sequence: sequenceOf(variants.map(({ length }) => length), weights, draw),
  };
}

/** Counted before they are built: a body of 16 MB with a random number in it is sent in 1,000 variants. */
function checkSize(requests: readonly WireRequest[], values: ValueSpecs): void {
  const sizes = requests.map((wire) => {
    const variants = countOfValueVariants(values, namesIn(wire));
    const parts = [wire.path, ...Object.values(wire.headers), wire.body ?? ""];
    return { variants, chars: variants * parts.reduce((sum, { length }) => sum + length, 0) };
  });
  const sumOf = (of: (size: (typeof sizes)[number]) => number): number =>
    sizes.reduce((sum, size) => sum + of(size), 0);
  checkLimit("variants", sumOf(({ variants }) => variants), "values", "write every request");
  checkLimit("written", sumOf(({ chars }) => chars), "values", "write every request");
}

/** The request with each variant of its values. */
function variantsOf(request: RequestSpec, values: ValueSpecs, draw: Draw): ScriptRequest[] {
  const step = { kind: "request" as const, expect: request.expect, captures: [] };
  const wire = wireRequest(request);
  return drawValues(values, namesIn(wire), draw)
    .map((variant) => ({ ...step, wire: fillTemplate(wire, variant) }));
}

/** So many picks at least, where there are several requests to pick from, and at most. */
const PICKS = { least: 1_000, most: 1_000_000 };

/**
 * Indexes into all variants, one request's after the other's. Each request is picked exactly in
 * proportion to its weight, in an order that the seed decides, and often enough for all its variants.
 * @param counts Variants of each request.
 */
function sequenceOf(counts: readonly number[], weights: readonly number[], draw: Draw): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const wanted = counts.map((count, at) => Math.ceil(count / weights[at]));
  if (counts.length > 1) wanted.push(Math.ceil(PICKS.least / total));
  const rounds = Math.min(Math.max(...wanted), Math.max(1, Math.floor(PICKS.most / total)));
  const picks = weights.flatMap((weight, at) => Array<number>(weight * rounds).fill(at));
  const starts = counts.map((_, at) => counts.slice(0, at).reduce((sum, count) => sum + count, 0));
  const used = counts.map(() => 0);
  return shuffled(picks, draw).map((at) => starts[at] + used[at]++ % counts[at]);
}

function flowScript(steps: readonly FlowStepSpec[], values: ValueSpecs, draw: Draw): Script {
  const ready = steps.map((step) => isRequest(step) ? requestStep(step) : thinkStep(step));
  const names = ready.flatMap((step) => step.kind === "request" ? namesIn(step.wire) : []);
  const users = drawValues(values, names, draw).map((values) => Object.fromEntries(values));
  return { kind: "flow", steps: ready, users };
}

function requestStep(spec: RequestStepSpec): ScriptRequest {
  const captures = Object.entries(spec.capture).map(([as, from]) => ({ as, from }));
  return { kind: "request", wire: wireRequest(spec), expect: spec.expect, captures };
}

function thinkStep({ think }: ThinkSpec): ThinkStep {
  return { kind: "think", thinkMs: think };
}
