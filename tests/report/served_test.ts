/** How much targets serve, as a verdict: of experiments that compare nothing, and of those that ask several things. */
import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results } from "../../runner/result/result.ts";
import {
  along,
  COMPUTING,
  concluded,
  doubted,
  inScenarios,
  OFFERED,
  WAITING,
} from "./concluded.ts";
import { assertReadable, plain } from "./readable.ts";
import { sweepResults } from "./sweep_results.ts";

const CELLS = [
  { target: "hono", parameters: { connections: 10 }, rate: 90_000 },
  { target: "hono", parameters: { connections: 50 }, rate: 0, rates: [110_000, 111_000, 112_000] },
  { target: "nginx", parameters: { connections: 10 }, rate: 0, rates: [97_000, 98_000, 99_000] },
  { target: "nginx", parameters: { connections: 50 }, rate: 71_000 },
];

function uncompared(more: Partial<Results> = {}): Results {
  const results = sweepResults(CELLS);
  return { ...results, ...more, experiment: { ...results.experiment, compare: "none" } };
}

const SENTENCE = "The most requests/s: hono 111,000 and nginx 98,000.";

Deno.test("most: of each target its best cell, the largest first, and nobody is ahead", () => {
  const { sentence, figure, forest } = concluded(uncompared());
  assert.equal(plain(sentence), SENTENCE);
  assert.match(figure?.label ?? "", /^requests\/s of hono · connections 50$/);
  assert.equal(forest, null);
});

Deno.test("most: what the machine could is beside it, where it was measured", () => {
  const peaks = {
    generator: { perSec: 156_000, by: "a worker" },
    redis: { perSec: 88_000, by: "redis-benchmark" },
  };
  const sentenceOf = (peakThroughput: Results["peakThroughput"]): string =>
    plain(concluded(uncompared({ peakThroughput })).sentence);
  assert.equal(
    sentenceOf(peaks),
    SENTENCE.replace(".", "; a load worker 156,000 and Redis 88,000."),
  );
  assert.equal(
    sentenceOf({ ...peaks, generator: null }),
    SENTENCE.replace(".", "; Redis 88,000."),
  );
});

Deno.test("most: how to compare is no advice to whom compares nothing", () => {
  const near = (results: Results): Results => {
    for (const { generator } of doubted(results, () => true).runs) {
      generator.findings[0].advice = ["compare-differences", "heavier-requests"];
    }
    return results;
  };
  const count = uncompared().runs.length;
  assert.equal(
    concluded(near(uncompared())).next[0].text,
    `${count} runs not valid: send requests that take the target longer.`,
  );
  assert.match(
    concluded(near(sweepResults(CELLS))).next[0].text,
    /compare differences, not ratios/,
  );
});

Deno.test("most: runs that are not valid are in the figures, and the trust says so", () => {
  const { reliability } = concluded(doubted(uncompared(), ({ repetition }) => repetition === 1));
  assert.match(
    reliability?.sentence ?? "",
    /^\d+ of \d+ runs are valid; the figures include the other \d+\.$/,
  );
});

Deno.test("most: page, terminal and markdown say the same", () => {
  const model = reportModel(uncompared());
  const forms = [
    renderReportPage([model]),
    renderSummary(model, { width: 200, color: false, unicode: true }),
    renderMarkdown(model),
  ];
  for (const form of forms) assert.ok(plain(form).includes(SENTENCE));
});

/** As many requests come as a rate says, whatever is served of them. */
function overloaded(results: Results): Results {
  for (const run of results.runs.filter(({ parameters: { rate } }) => rate === "60000/s")) {
    run.requests.due = 60_000 * run.elapsedS;
    run.requests.unfinished = run.requests.due - run.requests.completed;
  }
  return results;
}

Deno.test("questions: what one serves at most, what a setting costs, and what others add are each said", () => {
  const { sentence, figure, forest } = concluded(
    overloaded(inScenarios(OFFERED, COMPUTING, WAITING)),
  );
  assert.equal(
    plain(sentence),
    "s0: lone serves 51,300/s at most, pool 30,500. " +
      "s1: busy serves 9,700/s at cpuTime 0ms and 97.1 at 100ms, busy pool 10,000 and 303. " +
      "s2: idle serves 50,000/s at sleepTime 0ms and 8,010 at 100ms, " +
      "idle pool 25,100 and 8,100; slow pool serves 1.7× slow.",
  );
  assertReadable(plain(sentence));
  assert.equal(figure?.label, "requests/s of lone in s0, at most");
  assert.ok(Math.abs((figure.value ?? 0) / 51_300 - 1) < 0.01);
  assert.equal(forest?.title, "Requests/s compared, more is better");
  assert.ok(
    forest.rows.some(({ label, word }) => label === "slow pool / slow" && word === "better"),
  );
});

Deno.test("questions: of a load's own factor, such as connections, who is ahead is the question", () => {
  const connections = ["10", "50", "200"];
  const { sentence } = concluded(inScenarios(
    along("connections", connections, { a: [1_000, 1_100, 1_200], b: [2_000, 2_200, 2_400] }),
    COMPUTING,
  ));
  assert.match(
    plain(sentence),
    /^s1: busy serves 9,700\/s .*\. s0: b is fastest in all 3 settings, /,
  );
});

Deno.test("questions: scenarios with a target in common are one question", () => {
  const { sentence } = concluded(inScenarios(COMPUTING, COMPUTING));
  assert.doesNotMatch(plain(sentence), /^s0: /);
});

Deno.test("settings: targets without a factor are beside each other, not beside those that have it", () => {
  const { matrix } = concluded(sweepResults(WAITING));
  assert.deepEqual(
    matrix?.columns.map(({ label }) => label),
    ["sleepTime 0ms", "sleepTime 1ms", "sleepTime 100ms", "sleepTime unset"],
  );
  const slow = matrix.rows.find(({ label }) => label === "slow pool");
  assert.deepEqual(
    slow?.cells.map((cell) => cell?.certainty ?? null),
    [null, null, null, "best"],
  );
});

Deno.test("questions: on the page each has a table of its own, without targets of the others", () => {
  const page = renderReportPage([reportModel(inScenarios(OFFERED, COMPUTING, WAITING))]);
  const tables = [...page.matchAll(/<table class="matrix">.*?<\/table>/gs)].map(([table]) =>
    [...table.matchAll(/<th scope=row>.*?<\/i>([^<]*)/g)].map(([, name]) => name).toSorted()
  );
  assert.deepEqual(tables, [
    ["lone", "pool"],
    ["busy", "busy pool"],
    ["idle", "idle pool"],
    ["slow", "slow pool"],
  ]);
});
