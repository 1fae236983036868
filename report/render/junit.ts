/**
 * JUnit XML for CI systems, with one testcase for each check. It follows the attributes, the order of elements and the
 * times without a zone on which the two common schemas agree: that of Jenkins, and that of Ant by Windy Road.
 */
import { isUnanswered } from "../../runner/result/outcome.ts";
import type { Measurement, Results, Run } from "../../runner/result/result.ts";
import type { CapacityEnd } from "../../runner/result/capacity.ts";
import { capacitySentence, trialSentence } from "../subjects/capacity.ts";
import { claimLine, claimSentence } from "../findings/claim_sentences.ts";
import { type GateOutcome, gatePlace } from "../findings/threshold_sentences.ts";
import type { JudgedClaim } from "../judge/claims.ts";
import { endsText, noResponseOf } from "../findings/no_response.ts";
import type { ReportModel } from "../model.ts";
import { sum } from "../writing/spread.ts";
import { counted, unique } from "../writing/words.ts";
import { cellLabel } from "../cells/cell_label.ts";
import { missingModels } from "../subjects/missing.ts";
import type { Written } from "../writing/written.ts";
import { attributes, element, type Xml } from "../writing/xml.ts";

export interface Testcase {
  readonly classname: string;
  readonly name: string;
  /** In seconds. */
  readonly time?: number;
  /** Absent if the testcase passed. The kind `error` means that the check could not be decided. */
  readonly problem?: TestProblem;
}

interface TestProblem {
  readonly kind: "failure" | "error" | "skipped";
  readonly type: string;
  readonly message: string;
  readonly detail?: readonly string[];
}

/** When and where a suite ran. */
export interface Dated {
  /** Date and time in ISO 8601. */
  readonly startedAt: string;
  readonly hostname: string;
}

export interface Testsuite extends Dated {
  readonly name: string;
  readonly cases: readonly Testcase[];
  readonly output?: readonly string[];
}

export function renderJunit(suites: readonly Testsuite[]): Written<"xml"> {
  const declaration = element`<?xml version="1.0" encoding="UTF-8"?>\n`;
  return element`${declaration}<testsuites>\n${suites.map(suiteXml)}</testsuites>\n`.text;
}

/**
 * Makes a suite with a testcase for the responses of each cell, each search for a capacity, each part of the plan that
 * was not measured, each claim and each threshold.
 */
export function resultsSuite(results: Results, { claims, gates }: ReportModel): Testsuite {
  const { experiment: { name }, startedAt, machine: { hostname } } = results;
  const cells = [
    ...Map.groupBy(results.runs, (run) => `${run.scenario}\n${cellLabel(run)}`).values(),
  ];
  return {
    name,
    startedAt,
    hostname,
    cases: [
      ...cells.map((runs) => responsesCase(`${name}.${runs[0].scenario}`, runs)),
      ...cells.flatMap((runs) => searchCases(`${name}.${runs[0].scenario}`, runs)),
      ...missingModels(results.missing ?? []).map(({ what, kind, reason, evidence }): Testcase => ({
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
      ...claims.map((claim) => claimCase(name, claim)),
      ...gates.map((gate) => gateCase(name, gate)),
    ],
    // The output repeats all claims and capacity searches, because a testcase that passed has no
    // place for the details.
    output: [...claims.map(claimLine), ...results.runs.flatMap(searchLines)],
  };
}

/** How a search that found no capacity is reported, in accordance with the exit code. */
const ENDED_AS: Readonly<Record<Exclude<CapacityEnd, "found">, TestProblem["kind"]>> = {
  budget: "error",
  disturbed: "error",
  generator: "skipped",
  interrupted: "error",
  "nothing-holds": "failure",
  "not-recovered": "error",
  unsustained: "error",
};

/** One testcase for each run that searched for a capacity. */
function searchCases(classname: string, runs: readonly Run[]): Testcase[] {
  return runs.flatMap((run): Testcase[] => {
    if (run.capacity === undefined) return [];
    const { end } = run.capacity;
    const named = { classname, name: `${searchPlace(run)}: capacity found` };
    if (end === "found") return [named];
    const message = capacitySentence(run.capacity);
    return [{ ...named, problem: { kind: ENDED_AS[end], type: end, message } }];
  });
}

/** A line for the result of a capacity search, and one for each of its trials. */
function searchLines(run: Run): string[] {
  if (run.capacity === undefined) return [];
  const { trials } = run.capacity;
  return [
    `${searchPlace(run)}: ${capacitySentence(run.capacity)}`,
    ...trials.map((trial, i) => trialSentence({ number: i + 1, trial, low: null, high: null })),
  ];
}

function searchPlace(run: Run): string {
  return `${cellLabel(run)}, run ${run.repetition}`;
}

/** A single testcase for all planned runs that are missing because the experiment was interrupted or has not ended. */
function unfinishedCases({ experiment: { name }, state, runs, planned }: Results): Testcase[] {
  if (state === "done") return [];
  const message = `${state}: ${runs.length} of ${counted(planned, "planned run")} ${
    planned === 1 ? "is" : "are"
  } done`;
  const problem = { kind: "error", type: state, message } as const;
  return [{ classname: name, name: "all planned runs: measured", problem }];
}

function claimCase(suite: string, judged: JudgedClaim): Testcase {
  const { claim: { text, source, note }, outcome } = judged;
  const named = { classname: `${suite}.claims`, name: text };
  if (outcome === "reproduced") return named;
  const kind = outcome === "not reproduced" ? "failure" : "skipped";
  const message = `${outcome}: ${claimSentence(judged)}`;
  const detail = [...source ? [`Source: ${source}`] : [], ...note ? [`Note: ${note}`] : []];
  return { ...named, problem: { kind, type: outcome, message, detail } };
}

export function measurementSuite(
  { measurement, startedAt, hostname }: { readonly measurement: Measurement } & Dated,
  gates: readonly GateOutcome[],
): Testsuite {
  const name = measurement.url;
  const cases = [responsesCase(name, [measurement]), ...gates.map((gate) => gateCase(name, gate))];
  return { name, startedAt, hostname, cases };
}

function responsesCase(classname: string, runs: readonly (Measurement | Run)[]): Testcase {
  const [first] = runs;
  const label = "target" in first ? `${cellLabel(first)}: ` : "";
  const wrong = sum(runs, ({ checks }) => checks.failed);
  const right = sum(runs, ({ checks }) => checks.passed);
  const message = `${wrong} of ${wrong + right} responses were not as expected`;
  const problem = unansweredProblem(runs) ??
    (wrong > 0 ? { kind: "failure", type: "check", message } as const : null);
  return {
    classname,
    name: `${label}responses as expected`,
    time: sum(runs, ({ elapsedS }) => elapsedS),
    ...(problem && { problem }),
  };
}

/**
 * The problem if no request of a run got a response, so that nothing could be checked; null if there is no such run.
 */
function unansweredProblem(runs: readonly Measurement[]): TestProblem | null {
  const silent = runs.filter(isUnanswered);
  if (silent.length === 0) return null;
  const where = runs.length === 1 ? "" : ` in ${silent.length} of ${runs.length} runs`;
  const detail = unique(silent.flatMap(({ reasons }) => Object.keys(reasons)));
  const message = `No request got a response${where}: ${
    endsText(noResponseOf(silent)) || "none was due"
  }`;
  return { kind: "error", type: "no-response", message, detail };
}

export function gateCase(suite: string, gate: GateOutcome): Testcase {
  const { threshold, scenario, outcome, found } = gate;
  const place = gatePlace(gate);
  const named = {
    classname: [suite, scenario].filter(Boolean).join("."),
    name: place === "" ? threshold : `${gate.label}: ${threshold}`,
  };
  if (outcome === "pass") return named;
  const kind = outcome === "fail" ? "failure" : "error";
  return { ...named, problem: { kind, type: outcome, message: `${outcome}: ${found}` } };
}

function suiteXml({ name, startedAt, hostname, cases, output = [] }: Testsuite, id: number): Xml {
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
  const text = output.length === 0 ? element`/>` : element`>${output.join("\n")}</system-out>`;
  // Older versions of Jenkins' schema allow a property element only inside properties, and Ant's
  // schema requires properties.
  return element`  <testsuite${head}>
    <properties><property name="generator" value="Plateau"/></properties>
${cases.map(caseXml)}    <system-out${text}
    <system-err/>
  </testsuite>
`;
}

function caseXml({ classname, name, time = 0, problem }: Testcase): Xml {
  const head = attributes({ classname, name, time: time.toFixed(3) });
  const end = problem === undefined ? element`/>` : element`>${problemXml(problem)}</testcase>`;
  return element`    <testcase${head}${end}\n`;
}

function problemXml({ kind, type, message, detail = [] }: TestProblem): Xml {
  if (kind === "skipped") return element`<skipped${attributes({ message })}/>`;
  const about = attributes({ type, message });
  const text = [message, ...detail].join("\n");
  return kind === "failure"
    ? element`<failure${about}>${text}</failure>`
    : element`<error${about}>${text}</error>`;
}
