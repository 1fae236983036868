/**
 * A scenario made ready to be asked: every random choice drawn by the seed, every value in its place
 * where it is known before the load. Pure.
 */
import type { CaptureSpec } from "./capture.ts";
import { type Expectation, type Scenario, type WireRequest, wireRequest } from "./request.ts";

export interface RequestStep {
  readonly kind: "request";
  readonly wire: WireRequest;
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
    readonly requests: readonly RequestStep[];
    readonly sequence: readonly number[];
  }
  /** A visitor's way: `visitors` are the values that visitor 0, 1, 2 … brings along, round and round. */
  | {
    readonly kind: "flow";
    readonly steps: readonly (RequestStep | ThinkStep)[];
    readonly visitors: readonly Readonly<Record<string, string>>[];
  };

export function scriptOf(scenario: Scenario, _seed: number): Script {
  const request = { wire: wireRequest(scenario), expect: scenario.expect, captures: [] };
  return { kind: "requests", requests: [{ kind: "request", ...request }], sequence: [0] };
}
