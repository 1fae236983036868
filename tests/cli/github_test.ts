/** Annotations and the step's summary, as GitHub reads them. */
import assert from "node:assert/strict";
import {
  annotationLines,
  comparisonAnnotations,
  measurementAnnotations,
  resultsAnnotations,
} from "../../cli/github/annotations.ts";
import { fittedSummary, MOST_BYTES } from "../../cli/github/step.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { reportModel } from "../../report/model.ts";
import type { Annotation } from "../../report/writing/annotation.ts";
import { parseThreshold } from "../../scenarios/claims/threshold.ts";
import { measurementFixture } from "../report/fixture.ts";
import { hostileResults } from "../report/hostile.ts";
import { around, resultsAt } from "../report/rates.ts";

interface Command {
  readonly level: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** As GitHub's runner does: ActionCommand.TryParseV2 and its escape mappings. */
function commandOf(line: string): Command {
  const [, command, message] = /^::([^:]*)::(.*)$/s.exec(line) ?? [];
  assert.ok(command !== undefined, `no command: ${line}`);
  assert.doesNotMatch(line, /[\r\n]/);
  const space = command.indexOf(" ");
  const pairs = command.slice(space + 1).split(",").map((pair): [string, string] => {
    const [key, ...value] = pair.split("=");
    return [key, unescaped(value.join("=").replaceAll("%3A", ":").replaceAll("%2C", ","))];
  });
  return {
    level: command.slice(0, space),
    properties: Object.fromEntries(pairs),
    message: unescaped(message),
  };
}

function unescaped(text: string): string {
  return text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
}

function readBack(annotations: readonly Annotation[]): Command[] {
  return annotationLines(annotations).map(commandOf);
}

Deno.test("an annotation comes back as it was, with every sign that GitHub reads", () => {
  const title = "a: b, c = 100 %";
  const message = "line 1: 50 %, done\nline 2::error::no command %0A";
  assert.deepEqual(readBack([{ level: "error", title, message }]), [
    { level: "error", properties: { title }, message },
  ]);
});

Deno.test("of more annotations than GitHub shows the rest is counted, for each level", () => {
  const many = (level: Annotation["level"], count: number): Annotation[] =>
    Array.from({ length: count }, (_, i) => ({ level, title: "t", message: `${i}` }));
  const commands = readBack([...many("error", 12), ...many("warning", 10)]);
  const [errors, warnings] = ["error", "warning"].map((level) =>
    commands.filter((command) => command.level === level)
  );
  assert.deepEqual([errors.length, warnings.length], [10, 10]);
  assert.match(errors[9].message, /^3 more of these errors/);
  assert.equal(warnings[9].message, "9");
});

Deno.test("a run's failed thresholds and checks are errors, what is doubtful a warning", () => {
  const results = resultsAt({ a: around(1_000), b: around(2_000) });
  results.experiment.thresholds = ["rate > 1500/s", "rate > 1000/s"].map((text) => {
    const parsed = parseThreshold(text);
    assert.ok("threshold" in parsed);
    return parsed.threshold;
  });
  results.runs[0].checks.failed = 7;
  for (const { generator } of results.runs.slice(1, 3)) {
    Object.assign(generator, {
      trust: "suspect",
      findings: [{ code: "steal", severity: "suspect", evidence: { steal: 0.05 }, advice: [] }],
    });
  }
  results.missing.push({
    target: "c",
    scenario: "static",
    parameters: { delay: "1s" },
    repetition: null,
    kind: "failed",
    reason: "it did not start",
    evidence: [],
  });
  const { gates } = reportModel(results);
  const told = resultsAnnotations(results, gates).map(({ level, title, message }) =>
    `${level} ${title}: ${message.replace(/is .*/, "…")}`
  );
  assert.deepEqual(told, [
    "error Not measured: static, c · delay 1s: it did not start",
    `error Wrong responses: static, a, run 1: 7 of ${
      results.runs[0].checks.passed + 7
    } responses were not as expected`,
    "error Threshold failed: rate > 1500/s: static, a: rate …",
    "warning Threshold inconclusive: rate > 1000/s: static, a: rate …",
    "warning Measurements suspect: in 2 of 10 runs the generator or the machine may have distorted the figures. static, a, run 2 and 1 more are suspect: The hypervisor gave 5 % of the cores' time to other machines (steal).",
  ]);
});

Deno.test("a measurement without any answer is an error with its reasons", () => {
  const measurement = measurementFixture({ target: "", scenario: "s", medianMs: 5 });
  Object.assign(measurement, { reasons: { refused: 3 }, errors: { connect: 3 } });
  Object.assign(measurement.requests, { completed: 0, failed: 3, unfinished: 0 });
  const [{ level, title, message }] = measurementAnnotations(measurement, []);
  assert.deepEqual([level, title], ["error", "No request got a response"]);
  assert.equal(message, `${measurement.url}: 3 could not connect; refused`);
});

Deno.test("a measurement whose requests were all under way at the end is annotated, too", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 2 });
  Object.assign(measurement, {
    requests: { due: 4, completed: 0, failed: 0, unfinished: 4, dropped: 0 },
    reasons: {},
  });
  const [{ level, message }] = measurementAnnotations(measurement, []);
  assert.deepEqual([level, message], ["error", `${measurement.url}: 4 still waiting at the end`]);
});

Deno.test("a comparison tells what is worse, and what was not measured alike", () => {
  const next = { ...resultsAt({ a: around(900, 0.001) }), version: "9.9.9" };
  const comparison = compareResults(resultsAt({ a: around(1_000) }), next);
  const told = comparisonAnnotations(comparison);
  assert.deepEqual(told.map(({ level, title }) => `${level} ${title}`), [
    "error Worse than before",
    "warning Different conditions",
  ]);
  assert.match(told[0].message, /^static, a: 0\.90\d*×/);
});

Deno.test("a comparison warns of what is inconclusive", () => {
  const [base, next] = [[900, 1_000, 1_100], [1_000, 1_100, 950]];
  const comparison = compareResults(resultsAt({ a: base }), resultsAt({ a: next }), {});
  assert.equal(comparison.outcome, "inconclusive");
  const [{ level, title, message }, ...others] = comparisonAnnotations(comparison);
  assert.deepEqual([level, title, others], ["warning", "Comparison inconclusive", []]);
  assert.match(message, /^static, a: 1\.0\d*×/);
});

Deno.test("no hostile text makes a command or a line of its own", () => {
  const results = hostileResults();
  const { gates } = reportModel(results);
  const lines = annotationLines(resultsAnnotations(results, gates));
  assert.ok(lines.length > 0);
  // deno-lint-ignore no-control-regex -- what steers terminals
  for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f]/);
  assert.ok(lines.every((line) => commandOf(line).properties.title !== undefined));
});

const size = (text: string): number => new TextEncoder().encode(text).length;

Deno.test("a summary that fits stays whole, and ends with an empty line", () => {
  assert.equal(fittedSummary("# a\n\nb\n", 0), "# a\n\nb\n\n");
});

const LINE = "| ü | 1 |\n";

for (const writtenBytes of [0, 1, 7, 500_000, MOST_BYTES - 400]) {
  Deno.test(`a summary too long beside ${writtenBytes} bytes ends at a line, and says so`, () => {
    const text = fittedSummary(LINE.repeat(200_000), writtenBytes);
    const [table, note, ...rest] = text.trimEnd().split("\n\n");
    assert.ok(size(text) + writtenBytes <= MOST_BYTES);
    assert.ok(size(text) + writtenBytes > MOST_BYTES - 2 * size(LINE), "more would have fitted");
    assert.ok(table.split("\n").every((line) => line === LINE.trimEnd()));
    assert.match(note, /^\*Shortened: GitHub accepts at most 1 MiB/);
    assert.deepEqual(rest, []);
  });
}

Deno.test("nothing is added to a summary that is full", () => {
  assert.equal(fittedSummary(LINE.repeat(100), MOST_BYTES), "");
  assert.equal(fittedSummary(LINE.repeat(100), MOST_BYTES + 5), "");
});
