/** Results of experiments with factors: the rate and the median latency of each cell are given. */
import type { Results, Run } from "../../runner/result/result.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, setRate } from "./rates.ts";

export interface SweepCell {
  readonly target?: string;
  readonly parameters: Run["parameters"];
  /** Requests per second about which five runs are. */
  readonly rate: number;
  /** Default 20. */
  readonly medianMs?: number;
  readonly wrongRatio?: number;
  /** Exactly these, in place of five about `rate`. */
  readonly rates?: readonly number[];
}

/** One scenario, "static". `slip` differs from cell to cell, as no two groups are alike. */
export function sweepResults(cells: readonly SweepCell[]): Results {
  const ratesOf = cells.map(({ rate, rates }, i) => rates ?? around(rate, 0.0007 * (i % 5)));
  const results = resultsFixture({
    cells: cells.map(({ target = "a", parameters, medianMs = 20, wrongRatio }, i): CellSpec => ({
      target,
      scenario: "static",
      parameters,
      medianMs,
      wrongRatio,
      duration: 1,
      connections: 20,
      runs: ratesOf[i].length,
    })),
  });
  let next = 0;
  for (const rates of ratesOf) {
    for (const rate of rates) {
      const run = results.runs[next++];
      const { completed } = run.requests;
      setRate(run, rate);
      run.bytes.in = Math.round(run.bytes.in * run.requests.completed / completed);
      if (typeof run.parameters.rate === "string") run.load = openLoad(run);
    }
  }
  return results;
}

function openLoad({ load: { connections, keepAlive, timeout }, parameters }: Run): Run["load"] {
  const rate = parseInt(String(parameters.rate));
  const load = { connections, keepAlive, timeout, durationS: 1, rate, seed: 1 };
  return { kind: "rate", arrivals: "uniform", ...load };
}
