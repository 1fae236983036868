import assert from "node:assert/strict";
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { intervalOf, ratioInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import { meanOfSessions, spreadOfSessions } from "../../runner/stats/comparison/sessions.ts";

const NOTHING = new Histogram().toSparse();

function session(...rates: readonly number[]): Estimate {
  const runs = rates.map((completed) => [{ seconds: 1, completed, latency: NOTHING }]);
  const [found] = bootstrap(runs, { figures: ["rate"] });
  assert.ok(found);
  return found;
}

Deno.test("over sessions each counts once, and the interval rests on how they differ", () => {
  const mean = meanOfSessions([
    session(100, 100.1, 99.9, 100),
    session(110, 110.1),
    session(121, 121),
  ]);
  assert.ok(Math.abs(mean.value - 110) < 0.1, `${mean.value}`);
  const interval = intervalOf(mean);
  assert.equal(interval?.degreesOfFreedom, 2);
  // Steps of 10 %: ln 1.1 / √3 is the standard error of the mean of three.
  assert.ok(Math.abs(mean.logStandardError - Math.log(1.1) / Math.sqrt(3)) < 0.001);
});

Deno.test("sessions that agree by luck are no surer than their runs", () => {
  const wild = [session(80, 125, 100), session(81, 124, 100)];
  const { logStandardError } = meanOfSessions(wild);
  const within = wild[0].logStandardError / Math.SQRT2;
  assert.ok(Math.abs(logStandardError / within - 1) < 0.05, `${logStandardError} ${within}`);
});

Deno.test("the spread of sessions is pooled over cells, and cells add no degrees of freedom", () => {
  const steady = (rate: number): Estimate => session(rate, rate, rate);
  const cells = [[steady(100), steady(104), steady(98)], [
    steady(1_000),
    steady(1_040),
    steady(980),
  ]];
  const [one, both] = [spreadOfSessions(cells.slice(0, 1)), spreadOfSessions(cells)];
  assert.ok(one && both);
  assert.ok(Math.abs(both.variance / one.variance - 1) < 1e-9);
  assert.deepEqual([one.degreesOfFreedom, both.degreesOfFreedom], [2, 2]);
  assert.equal(spreadOfSessions([[steady(100)], []]), null);
});

Deno.test("what runs differ by is no difference between sessions", () => {
  const spread = spreadOfSessions([[session(80, 125, 100), session(81, 124, 100)]]);
  assert.equal(spread?.variance, 0);
});

Deno.test("a ratio of sides of several sessions has the degrees of freedom of the sessions", () => {
  const [base, next] = [[100, 103, 99], [90, 93, 89]].map((rates) =>
    meanOfSessions(rates.map((rate) => session(rate, rate * 1.001, rate * 0.999)))
  );
  const ratio = ratioInterval(next, base);
  assert.ok(ratio && ratio.degreesOfFreedom > 3.5 && ratio.degreesOfFreedom <= 4);
});
