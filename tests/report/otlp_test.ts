/** Metrics of OpenTelemetry: the shape of OTLP, and the figures of the results. */
import assert from "node:assert/strict";
import { measurementOtlpRequests, otlpRequests } from "../../report/render/otlp.ts";
import type { Run } from "../../runner/result/result.ts";
import { measurementFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { read, runOf, twoCells } from "./otlp_sample.ts";
import { attributesOf, durationPoints, pointsOf } from "./otlp_schema.ts";

Deno.test("a resource says who measured what and where, and the scope is Plateau", () => {
  const [{ resourceMetrics: [{ resource, scopeMetrics }] }] = read(otlpRequests(twoCells()));
  assert.deepEqual(attributesOf(resource), {
    "service.name": "plateau",
    "service.version": "0.1.0",
    "host.name": "bench-1",
    "host.arch": "amd64",
    "os.type": "linux",
    "vcs.ref.head.revision": "0123456789abcdef0123456789abcdef01234567",
    "plateau.experiment": "fixture",
  });
  assert.deepEqual(scopeMetrics[0].scope, { name: "plateau", version: "0.1.0" });
});

Deno.test("requests by their outcome add up to those that were due", () => {
  const results = twoCells(0.02);
  const points = pointsOf(read(otlpRequests(results)), "plateau.requests");
  for (const { requests, repetition, parameters } of results.runs) {
    const own = points.filter(({ is }) =>
      is["plateau.run"] === String(repetition) &&
      is["plateau.factor.connections"] === String(parameters.connections)
    );
    const of = (outcome: string): number =>
      own.filter(({ is }) => is["plateau.outcome"] === outcome)
        .reduce((sum, { value }) => sum + value, 0);
    const { due, ...ended } = requests;
    for (const [outcome, count] of Object.entries(ended)) assert.equal(of(outcome), count, outcome);
    assert.equal(own.reduce((sum, { value }) => sum + value, 0), due);
  }
  const timeouts = points.filter(({ is }) => is["error.type"] === "timeout");
  assert.equal(timeouts.length, 4);
  assert.ok(timeouts.every(({ is }) => is["plateau.outcome"] === "failed"));
});

Deno.test("each point says of which request and run it is", () => {
  const [point] = durationPoints(read(otlpRequests(twoCells())));
  const { "http.request.method": method, ...is } = attributesOf(point);
  assert.equal(method, "_OTHER", "the fixture has no slowest request");
  assert.deepEqual(is, {
    "server.address": "127.0.0.1",
    "server.port": "8080",
    "url.scheme": "http",
    "plateau.target": "hono",
    "plateau.scenario": "static",
    "plateau.run": "1",
    "plateau.factor.connections": "10",
    "plateau.factor.set.cache": "true",
    "plateau.factor.set.delay": "50ms",
    "plateau.latency.clock": "sent",
    "http.response.status_code": "200",
  });
});

const [{ requests, latency, histogram }] = twoCells().runs;
const STEP = {
  requests,
  wrong: 0,
  status: {},
  errors: {},
  rate: 1,
  seconds: [],
  latency,
  histogram,
};
const SLOW = { latency: 1, dueS: 0, sentS: 0, connection: 0, status: 200 };
const methods: [sentence: string, method: string, change: Partial<Run>][] = [
  ["that of a request alone is known", "POST", {}],
  ["those of several are not", "_OTHER", { steps: ["a", "b"].map((name) => ({ ...STEP, name })) }],
  ["one that conventions don't know is not named", "_OTHER", {
    slowest: [{ ...SLOW, request: "PROPFIND /a", outcome: "completed" }],
  }],
];
for (const [sentence, method, change] of methods) {
  Deno.test(`of methods, ${sentence}`, () => {
    const slowest: Run["slowest"] = [
      { ...SLOW, sentS: null, request: null, outcome: "unfinished", status: null },
      { ...SLOW, request: "POST /a", outcome: "completed" },
    ];
    const [point] = durationPoints(read(otlpRequests(runOf(0, { slowest, ...change }))));
    assert.equal(attributesOf(point)["http.request.method"], method);
  });
}

Deno.test("times are those of the load with the wait after it, nanoseconds", () => {
  const loadStartedAt = "2031-05-04T10:18:03.250Z";
  const drain = { durationS: 0.25, completed: 1, failed: 0 };
  const [point] = durationPoints(read(otlpRequests(runOf(0, { loadStartedAt, drain }))));
  assert.deepEqual(
    [point.startTimeUnixNano, point.timeUnixNano],
    ["1935656283250000000", "1935656284500000000"],
  );
  const never = { loadStartedAt: "9999-01-01T00:00:00Z", elapsedS: 1e308 };
  const [last] = durationPoints(read(otlpRequests(runOf(0, never))));
  assert.ok(BigInt(last.timeUnixNano) < 2n ** 64n);
  const [older] = durationPoints(read(otlpRequests(runOf(0))));
  assert.equal(older.startTimeUnixNano, `${Date.parse(twoCells().runs[0].startedAt)}000000`);
});

Deno.test("rate, checks and trust are points of each run", () => {
  const results = twoCells();
  const requests = read(otlpRequests(results));
  const rates = pointsOf(requests, "plateau.request.rate");
  assert.deepEqual(rates.map(({ value }) => value), results.runs.map(({ rate }) => rate));
  const trust = pointsOf(requests, "plateau.trust");
  assert.deepEqual(
    trust.map(({ is, value }) => [is["plateau.trust.verdict"], value]),
    results.runs.map(({ generator }) => [generator.trust, 1]),
  );
  const checks = pointsOf(requests, "plateau.checks");
  assert.deepEqual(
    checks.map(({ is, value }) => [is["plateau.check.result"], value]),
    results.runs.map(({ checks }) => ["passed", checks.passed]),
  );
});

Deno.test("a measurement alone is one run of its URL, and one that never began is nothing", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  assert.deepEqual(measurementOtlpRequests(measurement, "here"), []);
  const loadStartedAt = "2031-05-04T10:18:03.250Z";
  const requests = read(measurementOtlpRequests({ ...measurement, loadStartedAt }, "here"));
  const [{ resourceMetrics: [{ resource }] }] = requests;
  const { "host.name": host, "plateau.experiment": experiment } = attributesOf(resource);
  assert.deepEqual([host, experiment], ["here", "bench"]);
  const [{ is }] = pointsOf(requests, "plateau.request.rate");
  assert.deepEqual(
    [is["plateau.target"], is["plateau.scenario"], is["plateau.run"]],
    ["http://127.0.0.1:8080", "/static", "1"],
  );
  const unnamed = read(measurementOtlpRequests({ ...measurement, loadStartedAt }, ""));
  assert.equal(attributesOf(unnamed[0].resourceMetrics[0].resource)["host.name"], undefined);
});

Deno.test("many runs are several requests, each with every metric once", () => {
  const results = twoCells();
  const runs = Array.from({ length: 400 }, (_, i) => ({ ...results.runs[0], repetition: i + 1 }));
  const texts = otlpRequests({ ...results, runs });
  assert.ok(texts.length > 1);
  for (const text of texts) assert.ok(text.length < 2_500_000, `${text.length}`);
  const points = pointsOf(read(texts), "plateau.request.rate");
  assert.deepEqual(
    points.map(({ is }) => Number(is["plateau.run"])),
    runs.map(({ repetition }) => repetition),
  );
  for (const { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] } of read(texts)) {
    assert.equal(new Set(metrics.map(({ name }) => name)).size, metrics.length);
  }
  assert.deepEqual(otlpRequests({ ...results, runs: [] }), []);
});

Deno.test("hostile texts are values of attributes alone, and a URL with a secret has no address", () => {
  const results = hostileResults();
  const runs = results.runs.map((run) => ({ ...run, url: "http://[secret]/a" }));
  const requests = read(otlpRequests({ ...results, runs }));
  const points = pointsOf(requests, "plateau.request.rate");
  assert.deepEqual(points.map(({ is }) => is["plateau.target"]), runs.map(({ target }) => target));
  assert.ok(points.every(({ is }) => !("server.address" in is)));
});
