/**
 * JUnit XML, as CI systems read it: one testcase a check. It keeps to what both common schemas take, Jenkins'
 * and Ant's (Windy Road): attributes, their order of elements, and times without a zone.
 */
import type { Measurement, Results, Run } from "../runner/result.ts";
import { endsOf, isUnanswered } from "../runner/unanswered.ts";
import { cellLabel } from "./cells.ts";
import type { JudgedClaim } from "./claims.ts";
import type { GateOutcome } from "./gates.ts";
import { placeOf } from "./gates/table.ts";
import type { ReportModel } from "./model.ts";
import { sum } from "./spread.ts";
import { counted, unique } from "./words.ts";

export interface Testcase {
  readonly classname: string;
  readonly name: string;
  /** Seconds. */
  readonly time?: number;
  /** Absent: it passed. `error`: it could not be decided. */
  readonly problem?: {
    readonly kind: "failure" | "error" | "skipped";
    readonly type: string;
    readonly message: string;
    /** Lines of evidence. */
    readonly detail?: readonly string[];
  };
}

export interface Testsuite {
  readonly name: string;
  /** ISO moment. */
  readonly startedAt: string;
  readonly hostname: string;
  readonly cases: readonly Testcase[];
}

export function renderJunit(suites: readonly Testsuite[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${
    suites.map(suiteXml).join("")
  }</testsuites>\n`;
}

/** A testcase for the answers of each cell, each part without a measurement, each claim and each threshold. */
export function resultsSuite(results: Results, { missing, claims, gates }: ReportModel): Testsuite {
  const { experiment: { name }, startedAt, machine: { hostname } } = results;
  const cells = Map.groupBy(results.runs, (run) => `${run.scenario}\n${cellLabel(run)}`);
  return {
    name,
    startedAt,
    hostname,
    cases: [
      ...[...cells.values()].map((runs) => answersCase(`${name}.${runs[0].scenario}`, runs)),
      ...missing.map(({ what, kind, reason, evidence }): Testcase => ({
        classname: name,
        name: `${what}: measured`,
        problem: {
          kind: kind === "skipped" ? "skipped" : "error",
          type: kind,
          message: reason,
          detail: evidence,
        },
      })),
      ...unfinishedCases(results),
      ...claims.judged.map((claim) => claimCase(name, claim)),
      ...gates.outcomes.map((gate) => gateCase(name, gate)),
    ],
  };
}

/** Of an experiment that was ended, one for all runs that it lacks. */
function unfinishedCases({ experiment: { name }, state, runs, planned }: Results): Testcase[] {
  if (state === "done") return [];
  const message = `${state}: ${runs.length} of ${counted(planned, "planned run")} are in`;
  const problem = { kind: "error", type: state, message } as const;
  return [{ classname: name, name: "all planned runs: measured", problem }];
}

function claimCase(suite: string, { claim, source, outcome, sentence }: JudgedClaim): Testcase {
  const named = { classname: `${suite}.claims`, name: claim };
  if (outcome === "reproduced") return named;
  const kind = outcome === "not reproduced" ? "failure" : "skipped";
  const message = `${outcome}: ${sentence}`;
  const detail = source === "" ? [] : [`It stands in ${source}`];
  return { ...named, problem: { kind, type: outcome, message, detail } };
}

/** Of a single measurement. */
export function measurementSuite(
  { measurement, startedAt, hostname }: {
    measurement: Measurement;
    startedAt: string;
    hostname: string;
  },
  gates: readonly GateOutcome[],
): Testsuite {
  const name = measurement.url;
  const cases = [answersCase(name, [measurement]), ...gates.map((gate) => gateCase(name, gate))];
  return { name, startedAt, hostname, cases };
}

function answersCase(classname: string, runs: readonly (Measurement | Run)[]): Testcase {
  const [first] = runs;
  const label = "target" in first ? `${cellLabel(first)}: ` : "";
  const wrong = sum(runs, ({ checks }) => checks.failed);
  const right = sum(runs, ({ checks }) => checks.passed);
  const message = `${wrong} of ${wrong + right} answers are not as expected`;
  const problem = unansweredProblem(runs) ??
    (wrong > 0 ? { kind: "failure", type: "check", message } as const : null);
  return {
    classname,
    name: `${label}answers as expected`,
    time: sum(runs, ({ elapsed }) => elapsed),
    ...(problem && { problem }),
  };
}

/** Of runs in which no request was answered: where there is no answer, none is as expected. */
function unansweredProblem(runs: readonly Measurement[]): Testcase["problem"] | null {
  const silent = runs.filter(isUnanswered);
  if (silent.length === 0) return null;
  const where = runs.length === 1 ? "" : ` in ${silent.length} of ${runs.length} runs`;
  const detail = unique(silent.flatMap(({ reasons }) => Object.keys(reasons)));
  const message = `No request got an answer${where}: ${endsOf(silent) || "none was due"}`;
  return { kind: "error", type: "unanswered", message, detail };
}

export function gateCase(suite: string, gate: GateOutcome): Testcase {
  const { threshold, scenario, outcome, found } = gate;
  const place = placeOf(gate);
  const named = {
    classname: [suite, scenario].filter(Boolean).join("."),
    name: place === "" ? threshold : `${gate.label}: ${threshold}`,
  };
  if (outcome === "pass") return named;
  const kind = outcome === "fail" ? "failure" : "error";
  return { ...named, problem: { kind, type: outcome, message: `${outcome}: ${found}` } };
}

function suiteXml({ name, startedAt, hostname, cases }: Testsuite, id: number): string {
  const count = (kind: string): number =>
    cases.filter(({ problem }) => problem?.kind === kind).length;
  const seconds = cases.reduce((sum, { time = 0 }) => sum + time, 0);
  const head = attributes({
    package: "plateau",
    id,
    name,
    timestamp: startedAt.slice(0, 19),
    hostname: hostname || "localhost",
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
    time: seconds.toFixed(3),
  });
  // Older schemas of Jenkins want a property where there are properties, and Ant's wants properties.
  const properties = '<properties><property name="generator" value="Plateau"/></properties>';
  return `  <testsuite${head}>\n    ${properties}\n${cases.map(caseXml).join("")}` +
    "    <system-out/>\n    <system-err/>\n  </testsuite>\n";
}

function caseXml({ classname, name, time = 0, problem }: Testcase): string {
  const head = attributes({ classname, name, time: time.toFixed(3) });
  if (!problem) return `    <testcase${head}/>\n`;
  const { kind, type, message, detail = [] } = problem;
  const about = attributes(kind === "skipped" ? { message } : { type, message });
  const text = escaped([message, ...detail].join("\n"));
  const inner = kind === "skipped" ? `<skipped${about}/>` : `<${kind}${about}>${text}</${kind}>`;
  return `    <testcase${head}>${inner}</testcase>\n`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values).map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
};

/** Without what XML 1.0 §2.2 does not allow: control characters, lone surrogates, U+FFFE and U+FFFF. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    // deno-lint-ignore no-control-regex -- these are what XML forbids, and what steers terminals
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g, "")
    .replace(/[&<>"'\n]/g, (sign) => ENTITIES[sign]);
}
