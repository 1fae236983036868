import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { intervalOf, studentInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import {
  contrastOfSessions,
  meanOfSessions,
  type SessionFigure,
  type SessionSide,
  sessionsToDecide,
} from "../../runner/stats/comparison/sessions.ts";

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

/** Each in its order, of so little noise within. */
function figures(
  ...sides: readonly (readonly [SessionSide, readonly number[]])[]
): SessionFigure[] {
  return sides.flatMap(([side, values]) =>
    values.map((value) => ({ side, value, logStandardError: 0.001, startedMs: null }))
  );
}

/** Twelve sessions that differ by 1 %, without a trend. */
const SESSIONS = [
  1.012,
  0.991,
  0.998,
  1.009,
  0.987,
  1.004,
  0.996,
  1.011,
  0.99,
  1.002,
  0.992,
  1.008,
];

Deno.test("sessions: one a side tells nothing until twelve others show by how much they differ", () => {
  const pair = figures(["base", [1]], ["next", [0.9]]);
  assert.equal(contrastOfSessions(pair), null);
  assert.equal(contrastOfSessions([...figures(["earlier", SESSIONS.slice(1)]), ...pair]), null);
  const known = contrastOfSessions([...figures(["earlier", SESSIONS]), ...pair]);
  assert.ok(known !== null && Math.abs(known.value - 0.9) < 0.005, `${known?.value}`);
  // √2 of 1 % for two sessions, and a little for what twelve know of their correlation.
  const error = Math.sqrt(known.variance);
  assert.ok(error > 0.011 && error < 0.017, `${error}`);
  assert.deepEqual(known.sessions, { base: 1, next: 1, earlier: 12 });
});

Deno.test("sessions: no more of one side make a lone session of the other surer", () => {
  const [few, many] = [SESSIONS, [...SESSIONS, ...SESSIONS]].map((base) =>
    contrastOfSessions(figures(["base", base], ["next", [0.9]]))
  );
  assert.ok(few && many);
  assert.ok(many.variance > 0.7 * few.variance, `${few.variance} ${many.variance}`);
});

Deno.test("sessions: three a side are enough, two are not", () => {
  const of = (count: number) =>
    contrastOfSessions(
      figures(["base", SESSIONS.slice(0, count)], [
        "next",
        SESSIONS.slice(3, 3 + count).map((one) => 0.9 * one),
      ]),
    );
  assert.equal(of(2), null);
  assert.ok(of(3));
});

Deno.test("sessions: nights that are alike are seen to be, and make a ratio of blocks less sure", () => {
  const random = new Random(4);
  const night = random.waves(16, { stdev: 0.03, correlation: 0.9 }).map(Math.exp);
  const [base, next] = [night.slice(0, 8), night.slice(8)];
  const blocks = contrastOfSessions(figures(["base", base], ["next", next]));
  const spread = (values: readonly number[]): number => {
    const logs = values.map(Math.log);
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
    return logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  };
  const independent = (spread(base) + spread(next)) / 8;
  assert.ok(blocks && blocks.correlation > 0.45, `${blocks?.correlation}`);
  assert.ok(blocks.variance > 2 * independent, `${blocks.variance} ${independent}`);
  const noise = contrastOfSessions(
    figures(["base", SESSIONS.slice(0, 5)], ["next", SESSIONS.slice(5, 10)]),
  );
  assert.ok(noise && noise.correlation < 0.45, `${noise?.correlation}`);
});

Deno.test("sessions: a long time between the sides makes them as different as sessions can be", () => {
  const random = new Random(4);
  const night = random.waves(22, { stdev: 0.03, correlation: 0.95 }).map(Math.exp);
  const [near, far] = [0, 90].map((days) =>
    contrastOfSessions(night.map((value, i): SessionFigure => ({
      ...{ value, logStandardError: 0.001 },
      side: i < 11 ? "base" : "next",
      startedMs: 86_400_000 * (i + (i < 11 ? 0 : days)),
    })))
  );
  assert.ok(near && far);
  assert.ok(far.variance > 1.2 * near.variance, `${near.variance} ${far.variance}`);
});

Deno.test("sessions: one in six that is 10 % faster makes two groups", () => {
  const odd = SESSIONS.map((value, i) => i % 6 === 1 ? 1.1 * value : value);
  const pair = figures(["base", [1]], ["next", [0.9]]);
  const { groups } = contrastOfSessions([...figures(["earlier", odd]), ...pair]) ?? {};
  assert.deepEqual(groups?.map(({ count }) => count), [10, 2]);
});

Deno.test("sessions: equal figures without noise have a ratio without an error", () => {
  const same = figures(["base", [100, 100, 100]], ["next", [90, 90, 90]])
    .map((one) => ({ ...one, logStandardError: 0 }));
  const { value, variance } = contrastOfSessions(same) ?? {};
  assert.ok(Math.abs((value ?? 0) - 0.9) < 1e-9);
  assert.ok((variance ?? 1) < 1e-12);
});

Deno.test("sessions to decide: fewer where the ratio is farther from the limit, none on it", () => {
  const contrast = contrastOfSessions(
    figures(["base", SESSIONS.slice(0, 4)], [
      "next",
      SESSIONS.slice(4, 8).map((one) => 0.97 * one),
    ]),
  );
  assert.ok(contrast);
  const [far, near, none] = [0.05, 0.01, 0].map((room) => sessionsToDecide(contrast, room));
  assert.ok(far !== null && near !== null && far < near, `${far} ${near}`);
  assert.equal(none, null);
});

Deno.test("sessions: under nights of AR(0.9) and odd sessions few ratios of one program miss 1", () => {
  const random = new Random(9);
  const kinds: (() => readonly number[])[] = [
    () => random.waves(10, { stdev: 0.03, correlation: 0.9 }),
    () =>
      Array.from(
        { length: 10 },
        () => 0.02 * random.normal() + (random.uniform() < 0.2 ? Math.log(1.1) : 0),
      ),
  ];
  for (const logs of kinds) {
    const missed = Array.from({ length: 200 }, () => {
      const values = logs().map(Math.exp);
      const found = contrastOfSessions(
        figures(["base", values.slice(0, 5)], ["next", values.slice(5)]),
      );
      assert.ok(found);
      const { low, high } = studentInterval(found.value, found, 0.95);
      return low > 1 || high < 1;
    }).filter(Boolean).length;
    assert.ok(missed <= 20, `${missed}`); // 5 % on either side; of independent sessions the t misses 1 in 40 % of the first
  }
});
