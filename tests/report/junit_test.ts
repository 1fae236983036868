import assert from "node:assert/strict";
import { SaxesParser } from "saxes";
import {
  measurementSuite,
  renderJunit,
  resultsSuite,
  type Testcase,
} from "../../report/render/junit.ts";
import { reportModel } from "../../report/model.ts";
import type { Results } from "../../runner/result/result.ts";
import { parseThreshold } from "../../scenarios/claims/threshold.ts";
import { resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { around, resultsAt } from "./rates.ts";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
}

/** Fails where it is not well-formed, has entities of its own, or an attribute twice. */
function parseXml(text: string): Element {
  assert.ok(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n'));
  const root: Element = { name: "", attributes: {}, children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("error", (error) => assert.fail(error));
  parser.on("opentag", ({ name, attributes }) => {
    const element = { name, attributes: { ...attributes }, children: [] };
    open[open.length - 1].children.push(element);
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  parser.write(text).close();
  return root.children[0];
}

/** What the schemas of Jenkins and of Ant (Windy Road) both ask for. */
function assertJunit(text: string): Element[] {
  const root = parseXml(text);
  assert.equal(root.name, "testsuites");
  assert.deepEqual(root.attributes, {});
  root.children.forEach(({ name, attributes, children }, id) => {
    assert.equal(name, "testsuite");
    assert.equal(attributes.id, String(id));
    assert.match(attributes.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.ok(attributes.name && attributes.hostname && attributes.package);
    for (const key of ["tests", "failures", "errors", "skipped"]) {
      assert.match(attributes[key], /^\d+$/);
    }
    assert.match(attributes.time, /^\d+\.\d{3}$/);
    const order = children.map((child) => child.name).join(" ");
    assert.match(order, /^properties (?:testcase )*system-out system-err$/);
    assertCases(children.filter((child) => child.name === "testcase"), attributes);
  });
  return root.children;
}

function assertCases(cases: readonly Element[], counts: Element["attributes"]): void {
  const problems = cases.flatMap(({ children }) => children.map(({ name }) => name));
  const count = (name: string): string => String(problems.filter((one) => one === name).length);
  assert.equal(counts.tests, String(cases.length));
  assert.equal(counts.failures, count("failure"));
  assert.equal(counts.errors, count("error"));
  assert.equal(counts.skipped, count("skipped"));
  for (const { attributes, children } of cases) {
    assert.ok(attributes.name && attributes.classname);
    assert.match(attributes.time, /^\d+\.\d{3}$/);
    assert.ok(children.length <= 1);
    for (const { name, attributes } of children) {
      assert.deepEqual(
        Object.keys(attributes),
        name === "skipped" ? ["message"] : ["type", "message"],
      );
    }
  }
}

function casesOf(text: string): Element[] {
  const [{ children }] = assertJunit(text);
  return children.filter(({ name }) => name === "testcase");
}

function junitOf(results: Results, ...thresholds: string[]): string {
  results.experiment.thresholds = thresholds.map((text) => {
    const parsed = parseThreshold(text);
    assert.ok("threshold" in parsed);
    return parsed.threshold;
  });
  return renderJunit([resultsSuite(results, reportModel(results))]);
}

Deno.test("JUnit has a testcase for the answers of a cell, and for each threshold and cell", () => {
  const results = resultsAt({ a: around(1_000), b: around(2_000) });
  const cases = casesOf(junitOf(results, "rate > 1500/s", "rate > 1000/s"));
  const told = cases.map(({ attributes: { name }, children: [problem] }) =>
    `${name} ${problem?.name ?? "passed"}`
  );
  assert.deepEqual(told, [
    ...["a: responses as expected passed", "b: responses as expected passed"],
    ...["a: rate > 1500/s failure", "b: rate > 1500/s passed", "a: rate > 1000/s error"],
    "b: rate > 1000/s passed",
  ]);
  const [problem] = cases[4].children;
  assert.match(problem.attributes.message, /^inconclusive: rate is /);
  assert.ok(cases.every(({ attributes }) => attributes.classname === "fixture.static"));
});

Deno.test("JUnit has what could not be measured, and wrong responses", () => {
  const part = { scenario: "redis", parameters: {}, repetition: null, evidence: ["last words"] };
  const results = resultsFixture({
    cells: [{ target: "a", scenario: "static", medianMs: 5, wrongRatio: 0.5 }],
    missing: [
      { ...part, target: "a", kind: "skipped", reason: "there is no Redis" },
      { ...part, target: "b", kind: "failed", reason: "it did not start" },
    ],
  });
  const problems = casesOf(junitOf(results)).map(({ children: [problem] }) => problem);
  assert.deepEqual(problems.map(({ name }) => name), ["failure", "skipped", "error"]);
  assert.match(problems[0].attributes.message, /^\d+ of \d+ responses were not as expected$/);
});

Deno.test("JUnit does not pass what got no answer at all", () => {
  const results = resultsAt({ a: [1_000, 1_000] });
  for (const run of results.runs) {
    Object.assign(run, { reasons: { refused: 3 }, checks: { passed: 0, failed: 0 } });
    Object.assign(run, { errors: { connect: 3 } });
    Object.assign(run.requests, { completed: 0, failed: 3, unfinished: 0 });
  }
  const [{ children: [problem] }] = casesOf(junitOf(results));
  assert.deepEqual([problem.name, problem.attributes], ["error", {
    type: "no-response",
    message: "No request got a response in 2 of 2 runs: 6 could not connect",
  }]);
  const [measurement] = results.runs;
  const about = { measurement, startedAt: "2031-05-04T10:18:00.000Z", hostname: "h" };
  const [{ children: [alone] }] = casesOf(renderJunit([measurementSuite(about, [])]));
  assert.equal(alone.attributes.message, "No request got a response: 3 could not connect");
  // A server that hangs for the whole run fails no request, and answers none.
  Object.assign(measurement, { errors: {} });
  Object.assign(measurement.requests, { failed: 0, unfinished: 50 });
  const [{ children: [hung] }] = casesOf(renderJunit([measurementSuite(about, [])]));
  assert.equal(hung.attributes.message, "No request got a response: 50 still waiting at the end");
});

Deno.test("JUnit of an experiment that was ended says how much of it is in", () => {
  const results = { ...resultsAt({ a: [1_000] }), state: "interrupted" as const, planned: 12 };
  const [, { attributes, children: [problem] }] = casesOf(junitOf(results));
  assert.equal(attributes.name, "all planned runs: measured");
  assert.deepEqual([problem.name, problem.attributes], ["error", {
    type: "interrupted",
    message: "interrupted: 1 of 12 planned runs are done",
  }]);
});

Deno.test("JUnit of hostile texts is well-formed XML, and loses nothing that XML can hold", () => {
  const text = junitOf(hostileResults(), "p99 < 1us");
  const cases = casesOf(text);
  assert.ok(cases.length > 4);
  assert.match(cases[0].attributes.name, /<img src=x onerror="globalThis\.injected=1">/);
});

Deno.test("JUnit drops what XML forbids, lone surrogates too, and keeps line breaks", () => {
  const name = "a\u0000\u001b[2J\u009b\ufffe\ud800b\nc";
  const problem: Testcase["problem"] = { kind: "failure", type: "t", message: "m", detail: ["d"] };
  const cases = [{ classname: "c", name, problem }];
  const text = renderJunit([{
    name: "s",
    startedAt: "2031-05-04T10:18:00.000Z",
    hostname: "",
    cases,
  }]);
  assert.equal(casesOf(text)[0].attributes.name, "a[2J\ufffdb\nc");
  assert.match(text, />m&#10;d<\/failure>/);
  assert.match(text, /hostname="localhost"/);
});

Deno.test("JUnit of a single measurement has its answers and thresholds", () => {
  const [measurement] = resultsAt({ a: [1_000] }).runs;
  const startedAt = "2031-05-04T10:18:00.000Z";
  const gates = [
    { threshold: "p99 < 1us", scenario: "", label: "", outcome: "fail", found: "p99 is 9 ms" },
  ] as const;
  const suite = measurementSuite({ measurement, startedAt, hostname: "h" }, gates);
  const cases = casesOf(renderJunit([suite]));
  assert.equal(cases[1].attributes.name, "p99 < 1us");
  assert.equal(cases[1].children[0].attributes.message, "fail: p99 is 9 ms");
});
