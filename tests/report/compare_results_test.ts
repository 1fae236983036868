/** Two results held against each other: which cells, what differs, how it ends, and in every form alike. */
import assert from "node:assert/strict";
import type { ResultSide } from "../../report/judge/differences.ts";
import { comparisonJson, comparisonSuite } from "../../report/render/comparison.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { renderJunit } from "../../report/render/junit.ts";
import { comparedCard } from "../../report/subjects/comparison/card.ts";
import { comparedDocument } from "../../report/subjects/comparison/document.ts";
import type { Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { around, type Rates, resultsAt } from "./rates.ts";
import { said } from "./said.ts";
import { comparedMarkdown, comparedPage, comparedText } from "./compared.ts";

/** Of one experiment, as their starts are the same. */
function compareAt(base: Rates, next: Rates): ResultsComparison {
  return compareResults(resultsAt(base), resultsAt(next));
}

const SAME = { a: around(1_000), b: around(2_000, 0.0005) };

Deno.test("cells are matched by scenario, target and parameters, and the others are listed", () => {
  const comparison = compareAt({ ...SAME, gone: [1_000, 1_010] }, {
    ...SAME,
    fresh: [1_000, 1_010],
  });
  assert.deepEqual(comparison.cells.map(({ next }) => next), ["a", "b"]);
  assert.deepEqual([comparison.onlyBase, comparison.onlyNext], [["static, gone"], [
    "static, fresh",
  ]]);
  assert.match(
    comparedText(comparison),
    /\nOnly in BASE: static, gone\nOnly in NEW: static, fresh\n/,
  );
});

Deno.test("two experiments of one target each are compared by scenario, whatever its name", () => {
  const comparison = compareAt({ express: around(1_000) }, { fastify: around(4_310, 0.001) });
  assert.match(
    comparedText(comparison),
    /\nstatic, express → fastify\n {2}1,000 → 4,31\d requests\/s, 4\.\d+× \[4\.\d+, 4\.\d+\]: better\n {2}p99 /,
  );
});

Deno.test("the method explains only the intervals and verdicts that the comparison has", () => {
  const methodOf = (base: Rates, next: Rates): string => {
    const [, method] = comparedText(compareAt(base, next)).split("\nMethod\n");
    return method.split("\n\n")[0].replace(/\s+/g, " ");
  };
  assert.equal(methodOf({ a: [1_000] }, { a: [1_010] }), "A ratio is NEW over BASE.");
  const proven = methodOf(SAME, { a: around(800), b: around(1_500) });
  assert.match(
    proven,
    /^A ratio is NEW over BASE, with a 95 % interval from .* Better or worse: /,
  );
  assert.doesNotMatch(proven, /Inconclusive|Likely|No difference seen/);
});

Deno.test("the order in which parameters are written does not matter", () => {
  const one = (parameters: Record<string, number>): Results =>
    resultsFixture({
      cells: ["a", "b"].map((target) => ({
        target,
        scenario: "s",
        medianMs: 5,
        duration: 1,
        parameters,
      })),
    });
  const { cells } = compareResults(one({ x: 1, y: 2 }), one({ y: 2, x: 1 }));
  assert.equal(cells.length, 2);
});

Deno.test("where responses are wrong they decide, and beside that verdict there is no interval", () => {
  const [right, wrong] = [0, 0.5].map((wrongRatio) =>
    resultsAt({ a: around(wrongRatio === 0 ? 1_000 : 9_000) }, () => ({ wrongRatio }))
  );
  const worse = compareResults(right, wrong);
  const better = compareResults(wrong, right);
  assert.deepEqual([worse.outcome, better.outcome], ["fail", "pass"]);
  for (const { notes } of [worse, better].map(comparedCard)) {
    assert.ok(notes.every((note) => !note.startsWith("By ")), notes.join("\n"));
  }
  assert.match(
    comparedText(worse),
    /worse: wrong or failed requests: 0 % before, \d+\.\d+ % now/,
  );
  assert.doesNotMatch(comparedText(worse), /^ *(?:mean|p50) /m);
  for (
    const [{ cells: [{ comparison }] }, verdict] of [[worse, "worse"], [better, "better"]] as const
  ) {
    for (const one of comparison.figures) {
      assert.deepEqual([one.verdict, one.interval, one.p], [verdict, null, null]);
    }
  }
});

Deno.test("where both sides respond wrongly, it says why nothing is decided, and what to do", () => {
  const wrong = resultsAt({ a: around(1_000) }, () => ({ wrongRatio: 0.1 }));
  const both = compareResults(wrong, wrong);
  assert.equal(both.outcome, "inconclusive");
  assert.match(
    comparedText(both),
    /inconclusive: wrong or failed requests: 10\.0 % before, 10\.0 % now; no speed is compared where both sides have more than 1 %/,
  );
  const steps = comparedCard(both).next.map(({ text }) => text);
  assert.equal(steps.length, 1);
  assert.match(steps[0], /^Check the responses of BASE and NEW: .* at most 1\s%.* with `expect`/);
});

Deno.test("errors of one side that too few runs have are told as such", () => {
  assert.match(
    comparedText(compareFailing(2, 0.5)),
    /14\.\d % now; too few runs or requests to tell the sides apart/,
  );
});

/** Two equal builds, of which the new one fails a share of the requests in some runs. */
function compareFailing(runs: number, share: number): ResultsComparison {
  const rates = { a: [...around(1_000), 1_002, 998] };
  const next = resultsAt(rates);
  for (const { requests, checks } of next.runs.slice(0, runs)) {
    checks.failed = Math.round(requests.completed * share);
  }
  return compareResults(resultsAt(rates), next);
}

Deno.test("equal builds are not called worse by the errors of few runs, and by those of all they are", () => {
  const [few, all] = [compareFailing(2, 0.5), compareFailing(7, 0.05)];
  assert.deepEqual([few.outcome, all.outcome], ["inconclusive", "fail"]);
  assert.match(few.cells[0].errors, /: 0\s% before, 14\.\d\s% now/);
});

const FEW: [sentence: string, base: number[], next: number[], outcome: string][] = [
  ["both new ones fail", [0, 0], [0.5, 0.5], "fail"],
  ["both of the base failed, and none does now", [0.5, 0.5], [0, 0], "pass"],
  ["one of the new ones fails", [0, 0], [0, 0.5], "inconclusive"],
  ["some requests failed, and all fail now", [0.02, 0.02], [1, 1], "fail"],
  ["both sides fail often, and the new one more often", [0.1, 0.1], [0.5, 0.5], "fail"],
  ["fewer requests fail, but still too many", [0.5, 0.5], [0.1, 0.1], "inconclusive"],
  ["hardly more requests fail than before", [0.1, 0.1], [0.102, 0.102], "inconclusive"],
  ["a single run failed at times, and fails always now", [0.02], [1], "fail"],
  ["a single run fails as often as before but for chance", [0.02], [0.021], "inconclusive"],
  ["a single run fails now little more often than is tolerated", [0], [0.012], "inconclusive"],
];

for (const [sentence, base, next, outcome] of FEW) {
  Deno.test(`compare: of few runs a side it ends with ${outcome} where ${sentence}`, () => {
    const sides = [base, next].map((shares) => {
      const results = resultsAt({ a: [1_000, 1_002].slice(0, shares.length) });
      results.runs.forEach(({ requests, checks }, i) =>
        checks.failed = Math.round(requests.completed * shares[i])
      );
      return results;
    });
    assert.equal(compareResults(sides[0], sides[1]).outcome, outcome);
  });
}

/** A change of the new results, and the sentences that name it. */
const DIFFERENT: [sentence: string, change: (results: Results) => void, names: RegExp[]][] = [
  ["another processor", ({ machine }) => machine.cpu = "Other CPU", [
    /^processor: Some CPU @ 2\.40GHz → Other CPU$/,
  ]],
  ["another number of cores", ({ machine }) => machine.cores = 8, [/^cores: 4 → 8$/]],
  ["another kernel", ({ machine }) => machine.kernel = "6.2.0", [/^kernel: 6\.1\.0 → 6\.2\.0$/]],
  ["more memory", ({ machine }) => machine.memory = 1, [/^memory: 16777216000 → 1$/]],
  ["another Deno", ({ machine }) => machine.deno = "2.6.10", [/^Deno: 2\.9\.6 → 2\.6\.10$/]],
  ["another Plateau", (results) => results.version = "9.9.9", [/^Plateau: 0\.1\.0 → 9\.9\.9$/]],
  ["another driver", ({ runs }) => runs[0].driver = "epoll", [/^static, a: driver: tcp → epoll$/]],
  ["more connections", ({ runs }) => runs[0].load.connections = 99, [
    /^static, a: load\.connections: 50 → 99$/,
  ]],
  ["another protocol", ({ runs }) => runs[0].load.http2 = true, [
    /^static, a: load\.http2: none → true$/,
  ]],
  ["another request", ({ experiment }) => experiment.scenarios = { static: { get: "/x" } }, [
    /^scenarios\.static\.get: \/static → \/x$/,
  ]],
  ["another setting of the target", ({ experiment }) => {
    experiment.targets = { a: { app: "api", set: { log: ["on"] } }, b: { app: "api" } };
  }, [/^targets\.a\.set: none → \{"log":"on"\}$/]],
  ["targets that live on", ({ experiment }) => experiment.fresh = false, [/^fresh: none → false$/]],
  ["larger responses", ({ runs }) => {
    for (const { bytes, requests } of runs.filter(({ target }) => target === "a")) {
      bytes.in += 10_000 * requests.completed;
    }
  }, [/^static, a: size of a response: [\d.]+\sk?B → 1\d\.\d+\skB$/]],
  ["responses that differ by a header field", ({ runs }) => {
    for (const { bytes, requests } of runs) bytes.in += 300 * requests.completed;
  }, []],
  ["another status of most responses", ({ runs }) => {
    for (const { status } of runs.filter(({ target }) => target === "a")) {
      Object.assign(status, { 301: status["200"], 200: 1 });
    }
  }, [/^static, a: status of most responses: 200 → 301$/]],
  ["another seed", (results) => results.seed = 7, []],
  ["another moment", (results) => results.startedAt = "2032-01-01T00:00:00.000Z", []],
  ["another order of keys", ({ experiment }) => {
    experiment.targets = { b: { app: "api" }, a: { app: "api" } };
  }, []],
];

for (const [sentence, change, names] of DIFFERENT) {
  Deno.test(`compare: ${sentence} is ${names.length > 0 ? "warned of by name" : "no warning"}`, () => {
    const next = resultsAt(SAME);
    change(next);
    const comparison = compareResults(resultsAt(SAME), next);
    assert.equal(comparison.differences.length, names.length, comparison.differences.join("\n"));
    names.forEach((name, i) => assert.match(comparison.differences[i], name));
    const about = said(comparedDocument(comparison), "about").map(({ text }) => text);
    assert.deepEqual(about, comparison.differences);
    const isOfResponses = /respon/.test(sentence) && names.length > 0;
    const notes = comparedCard(comparison).notes.filter((note) =>
      note.startsWith("The responses differ")
    );
    assert.deepEqual(
      notes,
      isOfResponses ? [`The responses differ: ${comparison.differences[0]}.`] : [],
    );
  });
}

Deno.test("a single measurement knows no machine, and nothing is said of it", () => {
  const { runs, experiment, version } = resultsAt({ a: [1_000] });
  const side: ResultSide = { runs, experiment, version, machine: null };
  assert.deepEqual(compareResults(side, resultsAt({ a: [1_100] })).differences, []);
});

Deno.test("runs that measured the generator are warned of", () => {
  const next = resultsAt({ a: around(1_000) });
  next.runs[0].generator.trust = "invalid";
  const comparison = compareResults(resultsAt({ a: around(1_000) }), next);
  assert.match(comparedText(comparison), /^NEW is invalid: in 1 of 5 runs /m);
});

Deno.test("terminal, markdown, JSON and JUnit give the same verdicts", () => {
  const comparison = compareAt(SAME, { a: around(500, 0.001), b: around(4_000, 0.001) });
  assert.match(comparedText(comparison), /1,000 → 50\d requests\/s, 0\.50.*: worse/);
  assert.match(
    comparedMarkdown(comparison),
    /\| static, a \| 0\.50\d?× \\\[.*?\] 1,000 → 50\d: worse \|/,
  );
  const json = JSON.stringify(comparisonJson(comparison));
  assert.match(json, /"schema":"plateau\.comparison\/1","outcome":"fail"/);
  assert.match(json, /"figures":\{"rate":\{"base":999\.8,.*?"verdict":"worse"/);
  const junit = renderJunit([
    comparisonSuite(comparison, { startedAt: "2031-05-04T10:18:00.000Z", hostname: "h" }),
  ]);
  assert.equal(junit.match(/<testcase/g)?.length, 12);
  assert.match(
    junit,
    /name="static, a: rate" time="0\.000"><failure type="worse" message="worse: 0\.50\d?×\s\[/,
  );
  assert.match(junit, /name="static, b: rate" time="0\.000"\/>/);
});

Deno.test("hostile names steer neither the terminal nor markdown", () => {
  const comparison = compareResults(hostileResults(), hostileResults());
  assert.doesNotMatch(
    comparedText(comparison),
    /[^\n\P{Cc}]|[\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u,
  );
  const markdown = comparedMarkdown(comparison);
  assert.doesNotMatch(markdown, /<|>/);
  const bars = markdown.split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.match(/(?<!\\)\|/g)?.length);
  assert.ok(bars.length > 2);
  assert.equal(new Set(bars).size, 1);
});

Deno.test("of two commits each form names both, whatever their subjects hold", () => {
  const revisions = {
    base: "main (0123abc): Close #12 for @team, <b>now</b>",
    next: "the working tree (0123abc with changes)",
  };
  const sides = [resultsAt(SAME), resultsAt(SAME)] as const;
  const formsOf = (of: ResultsComparison): readonly string[] => [
    comparedMarkdown(of).replaceAll("\\", "").replace("&#64;", "@"),
    comparedPage(of),
    renderJunit([comparisonSuite(of, { startedAt: "2031-05-04T10:18:00.000Z", hostname: "a" })]),
  ];
  const comparison = compareResults(...sides, { revisions });
  for (const form of formsOf(comparison)) {
    assert.match(form, /BASE is main \(0123abc\): Close #12 for @team, &lt;b&gt;now&lt;\/b&gt;/);
    assert.match(form, /NEW is the working tree \(0123abc with changes\)/);
  }
  assert.match(comparedMarkdown(comparison), /Close \\#12 for &#64;team/);
  assert.deepEqual(Object(comparisonJson(comparison)).revisions, revisions);
  for (const form of formsOf(compareResults(...sides))) assert.doesNotMatch(form, /BASE is /);
});
