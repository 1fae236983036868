/** Our JUnit against the two schemas of it that are in common use, as libxml judges; schemas/README.md names them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { comparisonSuite } from "../../report/render/comparison.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { renderJunit, resultsSuite, type Testsuite } from "../../report/render/junit.ts";
import { reportModel } from "../../report/model.ts";
import type { Results } from "../../runner/result/result.ts";
import { parseThreshold } from "../../scenarios/claims/threshold.ts";
import { needing } from "../needs.ts";
import { resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { around, resultsAt } from "./rates.ts";

const withXmllint = needing("xmllint");

/**
 * What each may look at: our copies are older than skipped tests in Ant's schema, and than their message in
 * that of Jenkins, which the newer ones allow.
 */
const SCHEMAS: Record<string, (xml: string) => string> = {
  "ant-junit.xsd": (xml) => xml.replaceAll(/ skipped="\d+"|<skipped [^>]*>/g, ""),
  "jenkins-junit.xsd": (xml) => xml.replaceAll(/<skipped [^>]*>/g, "<skipped/>"),
};

/** What xmllint finds wrong with it, a line each. */
async function faultsOf(xml: string, schema: string): Promise<string[]> {
  const path = join(import.meta.dirname ?? "", "schemas", schema);
  const child = new Deno.Command("xmllint", {
    args: ["--noout", "--nonet", "--schema", path, "-"],
    stdin: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(xml));
  await writer.close();
  const { success, stderr } = await child.output();
  const lines = new TextDecoder().decode(stderr).trim().split("\n");
  assert.equal(success, lines.at(-1) === "- validates", lines.join("\n"));
  return success ? [] : lines;
}

function suiteOf(results: Results, ...thresholds: string[]): Testsuite {
  results.experiment.thresholds = thresholds.map((text) => {
    const parsed = parseThreshold(text);
    assert.ok("threshold" in parsed);
    return parsed.threshold;
  });
  return resultsSuite(results, reportModel(results));
}

const missing = (["failed", "skipped"] as const).map((kind): Results["missing"][number] => ({
  target: "c",
  scenario: "s",
  parameters: {},
  repetition: null,
  kind,
  reason: "it did not start",
  evidence: ["its last words"],
}));

/** Every kind of testcase: passed, failed, undecided and skipped. */
const RATES = suiteOf(
  resultsAt({ a: around(1_000), b: around(2_000) }),
  "rate > 1500/s",
  "rate > 1000/s",
);
const LACKING = suiteOf(resultsFixture({
  name: "second",
  cells: [{ target: "a", scenario: "s", medianMs: 5, wrongRatio: 0.5 }],
  missing,
}));

const FORMS: Record<string, readonly Testsuite[]> = {
  "thresholds that hold, fail and can't be decided": [RATES],
  "several experiments, and what could not be measured": [RATES, LACKING],
  "hostile texts and claims": [suiteOf(hostileResults(), "p99 < 1us")],
  "a comparison": [comparisonSuite(
    compareResults(resultsAt({ a: around(1_000) }), resultsAt({ a: around(900, 0.001) })),
    { startedAt: "2031-05-04T10:18:00.000Z", hostname: "" },
  )],
  "nothing at all": [],
};

for (const [sentence, suites] of Object.entries(FORMS)) {
  withXmllint.test(`JUnit of ${sentence} keeps to the schemas of Ant and Jenkins`, async () => {
    const kinds = suites.flatMap(({ cases }) => cases.map(({ problem }) => problem?.kind));
    if (suites.length === 2) {
      assert.deepEqual(new Set(kinds), new Set([undefined, "failure", "error", "skipped"]));
    }
    for (const [schema, part] of Object.entries(SCHEMAS)) {
      assert.deepEqual(await faultsOf(part(renderJunit(suites)), schema), [], schema);
    }
  });
}

const WRONG: [sentence: string, change: (xml: string) => string][] = [
  ["an attribute that nobody knows", (xml) => xml.replace("<testcase ", '<testcase color="1" ')],
  ["a testcase without a name", (xml) => xml.replace(/(<testcase[^>]*) name="[^"]*"/, "$1")],
  ["an element that nobody knows", (xml) => xml.replace("<system-out/>", "<output/>")],
];

for (const [sentence, change] of WRONG) {
  withXmllint.test(`the schemas of JUnit refuse ${sentence}`, async () => {
    for (const [schema, part] of Object.entries(SCHEMAS)) {
      assert.notDeepEqual(await faultsOf(change(part(renderJunit([RATES]))), schema), [], schema);
    }
  });
}
