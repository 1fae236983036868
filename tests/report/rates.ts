/** Results whose runs have given rates: their counts are changed alike in total and in every interval. */
import type { Results } from "../../runner/result/result.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";

/** Requests/s of each run by target. */
export type Rates = Readonly<Record<string, readonly number[]>>;

/** One scenario, "static", with a target for each entry. */
export function resultsAt(
  rates: Rates,
  change: (target: string) => Partial<CellSpec> = () => ({}),
): Results {
  const cells = Object.entries(rates).map(([target, { length }]): CellSpec => ({
    target,
    scenario: "static",
    medianMs: 20,
    duration: 2,
    runs: length,
    ...change(target),
  }));
  const results = resultsFixture({ cells });
  for (const run of results.runs) setRate(run, rates[run.target][run.repetition - 1]);
  return results;
}

/** To whole requests, so rates should be high enough for that to make no difference. */
export function setRate(run: Results["runs"][number], rate: number): void {
  const scale = rate * run.elapsedS / run.requests.completed;
  const scaled = (count: number): number => Math.round(count * scale);
  run.rate = rate;
  run.requests.due += scaled(run.requests.completed) - run.requests.completed;
  run.requests.completed = scaled(run.requests.completed);
  const { "200": _, ...others } = run.status;
  for (const [code, count] of Object.entries(others)) run.status[code] = scaled(count);
  run.checks.failed = scaled(run.checks.failed);
  run.checks.passed = run.requests.completed - run.checks.failed;
  run.status["200"] = run.checks.passed;
  for (const point of run.timeline.points) point.completed = scaled(point.completed);
}

/** Orders of runs that correlate with each other by 0.2 to 0.6. */
const ORDERS = [[0, 1, 2, 3, 4], [0, 1, 2, 4, 3], [3, 2, 0, 1, 4], [3, 4, 0, 1, 2]];

/** Five runs within 1 % around a rate, in an order of its own: chance pairs them, as no two groups are alike. */
export function around(rate: number, slip = 0): number[] {
  const factors = [0.99, 1.004, 1, 0.996, 1.01];
  const order = ORDERS[Math.round(5 * Math.log2(rate) + 1e4 * slip) % ORDERS.length];
  return order.map((at) => rate * (factors[at] + slip));
}
