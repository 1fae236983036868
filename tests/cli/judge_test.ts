import assert from "node:assert/strict";
import { ExpectedError } from "../../base/errors.ts";
import { verifyMeasurement, verifyResults, verifyTrust } from "../../cli/output/verify.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { measurementFixture, resultsFixture } from "../report/fixture.ts";
import { silence } from "../report/silenced.ts";

/** Exit code and lines of what `judge` throws; 0 and none when it is content. */
function verdictOf(judge: () => void): { code: number; lines: readonly string[] } {
  try {
    judge();
    return { code: 0, lines: [] };
  } catch (error) {
    assert.ok(error instanceof ExpectedError, String(error));
    return { code: error.exitCode, lines: error.lines };
  }
}

const measured = measurementFixture({ target: "api", scenario: "static", medianMs: 5 });

function requests(changes: Partial<Measurement["requests"]>): Measurement["requests"] {
  return { due: 9, completed: 0, failed: 0, unfinished: 0, dropped: 0, ...changes };
}

const measurements: [sentence: string, changes: Partial<Measurement>, code: number][] = [
  ["answers", {}, 0],
  ["right answers", { checks: { passed: 9, failed: 0 } }, 0],
  ["one wrong answer among right ones", { checks: { passed: 8, failed: 1 } }, 1],
  ["errors beside answers", {
    requests: requests({ completed: 8, failed: 1 }),
    errors: { reset: 1 },
  }, 0],
  [
    "nothing but refused connections",
    { requests: requests({ failed: 9 }), errors: { connect: 9 } },
    3,
  ],
  ["refused connections and one that was being made at the end", {
    requests: requests({ failed: 8, unfinished: 1 }),
    errors: { connect: 8 },
  }, 3],
  ["nothing but time-outs", { requests: requests({ failed: 9 }), errors: { timeout: 9 } }, 3],
  ["nothing within its time", { requests: requests({ unfinished: 9 }), errors: {} }, 3],
  ["nothing but arrivals that were never sent", {
    requests: requests({ dropped: 9 }),
    errors: {},
  }, 3],
  ["nothing that was due", { requests: requests({ due: 0 }), errors: {} }, 3],
  ["time-outs beside one answer", {
    requests: requests({ completed: 1, failed: 8 }),
    errors: { timeout: 8 },
  }, 0],
  ["nothing but answers with status 500, of which nothing was expected", {
    requests: requests({ completed: 9 }),
    status: { "500": 9 },
  }, 0],
];

for (const [sentence, changes, code] of measurements) {
  Deno.test(`bench exits with ${code} after ${sentence}`, () => {
    assert.equal(verdictOf(() => verifyMeasurement({ ...measured, ...changes })).code, code);
  });
}

Deno.test("bench says why no request got a response", () => {
  const dead = {
    ...measured,
    url: "http://127.0.0.1:1/",
    requests: requests({ failed: 9 }),
    errors: { connect: 9 },
    reasons: { "Connection refused": 9 },
  };
  assert.deepEqual(verdictOf(() => verifyMeasurement(dead)).lines, [
    "Cannot measure http://127.0.0.1:1/: no request got a response: 9 could not connect",
    "  Connection refused",
  ]);
});

const missing: Results["missing"][number] = {
  target: "dead",
  scenario: "static",
  parameters: {},
  repetition: 1,
  kind: "failed",
  reason: "Cannot start target dead",
  evidence: ["its last words"],
};

function resultsOf(wrongRatio: number, absent: Results["missing"] = [], runs = 1): Results {
  const cells = [{ target: "api", scenario: "static", medianMs: 5, wrongRatio, runs }];
  return resultsFixture({ cells, missing: absent });
}

function silenced(results: Results, silent: number): Results {
  return { ...results, runs: results.runs.map((run, i) => i < silent ? silence(run) : run) };
}

const experiments: [sentence: string, results: Results, code: number][] = [
  ["all runs are in", resultsOf(0), 0],
  ["some runs had wrong answers", resultsOf(0.5), 1],
  ["some runs were skipped", resultsOf(0, [{ ...missing, kind: "skipped" }]), 0],
  [
    "every run was skipped",
    { ...resultsOf(0, [{ ...missing, kind: "skipped" }]), runs: [], planned: 1 },
    3,
  ],
  ["nothing was planned to be measured", { ...resultsOf(0), runs: [], planned: 0 }, 3],
  ["some runs failed", resultsOf(0, [missing]), 3],
  ["some runs failed and others had wrong answers", resultsOf(0.5, [missing]), 3],
  ["no request of some runs got a response", silenced(resultsOf(0), 1), 3],
  ["some runs had no answer, others wrong ones", silenced(resultsOf(0.5, [], 2), 1), 3],
];

for (const [sentence, results, code] of experiments) {
  Deno.test(`run exits with ${code} when ${sentence}`, () => {
    assert.equal(verdictOf(() => verifyResults(results)).code, code);
  });
}

Deno.test("run names the runs whose requests got no answer, and what became of these", () => {
  assert.deepEqual(verdictOf(() => verifyResults(silenced(resultsOf(0, [missing], 3), 2))).lines, [
    "Cannot measure the whole plan: 1 of 4 runs were measured",
    "  static, api, runs 1, 2: no request got a response: 100 timed out after 5 s",
    "  Cannot start target dead",
    "    its last words",
  ]);
});

Deno.test("run tells each reason once, with the last lines of the target", () => {
  const results = resultsOf(0, [missing, { ...missing, repetition: 2 }]);
  const { lines } = verdictOf(() => verifyResults(results));
  assert.deepEqual(lines.slice(1), ["  Cannot start target dead", "    its last words"]);
});

Deno.test("run does not repeat reasons that its output has told", () => {
  const { code, lines } = verdictOf(() =>
    verifyResults(resultsOf(0, [missing]), { hasMissing: true })
  );
  assert.equal(code, 3);
  assert.deepEqual(lines.slice(1), []);
});

const STOLEN =
  "The hypervisor gave 20 % of the cores' time to other machines (steal). Repeat the run.";

Deno.test("with --strict a run that is not valid ends with code 4, and is named with its reasons", () => {
  assert.equal(verdictOf(() => verifyTrust([measured])).code, 0);
  const doubted = {
    ...measured.generator,
    trust: "invalid" as const,
    findings: [{
      code: "steal" as const,
      severity: "invalid" as const,
      evidence: { steal: 0.2 },
      advice: ["repeat-run" as const],
    }],
  };
  assert.deepEqual(verdictOf(() => verifyTrust([{ ...measured, generator: doubted }])), {
    code: 4,
    lines: ["Cannot trust the figures: the run is not valid", `  invalid: ${STOLEN}`],
  });
  const { runs } = resultsFixture({
    cells: [{ target: "api", scenario: "static", medianMs: 5, runs: 2 }],
  });
  assert.equal(verdictOf(() => verifyTrust(runs)).code, 0);
  runs[1].generator = doubted;
  assert.deepEqual(verdictOf(() => verifyTrust(runs)), {
    code: 4,
    lines: [
      "Cannot trust the figures: 1 of 2 runs are not valid",
      `  static, api, run 2: invalid: ${STOLEN}`,
    ],
  });
});
