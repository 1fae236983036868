/** Results for conclusions, and what is concluded of them. */
import { type ConclusionModel } from "../../report/model/conclusion/conclusion.ts";
import { reportModel } from "../../report/model/model.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around } from "./rates.ts";
import type { SweepCell } from "./sweep_results.ts";

export function concluded(results: Results): ConclusionModel {
  return reportModel(results).conclusion;
}

/** The runs that are picked are not valid. */
export function doubted(results: Results, isDoubted: (run: Run) => boolean): Results {
  for (const { generator } of results.runs.filter(isDoubted)) {
    generator.trust = "suspect";
    generator.findings = [{
      code: "generator-busy",
      severity: "suspect",
      evidence: { cpu: 0.93, waiting: null },
      advice: ["more-generator-cores", "own-machine"],
    }];
  }
  return results;
}

export const TWO = { a: around(1_000), b: around(2_000, 0.001) };

/** Five scenarios: gin leads but with errors. */
export function many(): Results {
  const cells = ["static", "fib", "redis", "validation", "error"].flatMap((scenario, s) =>
    [["gin", 2], ["fastify", 3], ["express", 6]].map(([target, ms]): CellSpec => ({
      target: String(target),
      scenario,
      medianMs: scenario === "error" && target === "gin" ? 9 : Number(ms) * (1 + 0.3 * s),
      runs: 4,
    }))
  );
  return resultsFixture({ title: "Which framework is fastest?", cells });
}

export const POLICIES = ["builtin", "nginx"].flatMap((target, t) =>
  ["least-connections", "round-robin"].map((policy, p): SweepCell => ({
    target,
    parameters: { "cluster.policy": policy },
    rate: 3_000 * (t + 1) - 500 * p,
  }))
);
