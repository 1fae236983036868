/** A run that nothing is wrong with, for tests to spoil. */
import { findingSentence } from "../../report/findings/sentences.ts";
import type { FindingCode } from "../../runner/result/findings.ts";
import type { Case, GeneratorEvidence } from "../../runner/trust/evidence.ts";
import { judge } from "../../runner/trust/judging.ts";
import { measurementFixture } from "../report/fixture.ts";

/** 50 connections on a target at its limit, and a worker with time to spare. */
const GOOD: GeneratorEvidence = {
  workers: 1,
  cpu: 0.55,
  waiting: 0.025,
  lag: { p50: 0, p99: 0, max: 0 },
  delay: { p50: 0, p99: 0.2, max: 3 },
  each: [{ cpu: 0.55, waiting: 0.025, spinning: 0, lag: 0, delay: 0.2 }],
  timer: 0.0002,
  hostActivity: { cores: 2, busy: 0.82, steal: 0.002, throttled: 0 },
  peakThroughput: 250_000,
  baselineLatency: 0.01,
};

export interface Spoiled {
  readonly evidence?: Partial<GeneratorEvidence>;
  /** Of the only worker. */
  readonly worker?: Partial<GeneratorEvidence["each"][number]>;
  readonly surroundings?: Partial<GeneratorEvidence["hostActivity"]>;
  readonly run?: Partial<Case["run"]>;
  readonly sharesMachine?: boolean;
}

export function caseWith(
  { evidence, worker, surroundings, run, sharesMachine = true }: Spoiled = {},
): Case {
  const measured = measurementFixture({ target: "api", scenario: "static", medianMs: 5 });
  return {
    evidence: {
      ...GOOD,
      each: [{ ...GOOD.each[0], ...worker }],
      hostActivity: { ...GOOD.hostActivity, ...surroundings },
      ...evidence,
    },
    run: { ...measured, rate: 100_000, elapsedS: 3, ...run },
    sharesMachine,
  };
}

export interface Worded {
  readonly trust: string;
  readonly codes: readonly FindingCode[];
  readonly sentences: readonly string[];
}

/** The judgement of a case as its reader sees it. */
export function worded(given: Case): Worded {
  const { trust, findings } = judge(given);
  return {
    trust,
    codes: findings.map(({ code }) => code),
    sentences: findings.map(findingSentence),
  };
}

/** Requests arrive at 1,000/s; 50 connections, answers after 1 ms. */
export const OPEN: Partial<Case["run"]> = (() => {
  const measured = measurementFixture({ target: "api", scenario: "static", medianMs: 1 });
  return {
    ...measured,
    rate: 1_000,
    elapsedS: 30,
    load: {
      kind: "rate",
      connections: 50,
      keepAlive: true,
      timeout: 5_000,
      arrivals: "uniform",
      seed: 1,
      rate: 1_000,
      durationS: 30,
    },
  };
})();
