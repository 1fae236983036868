/** An experiment that compares nothing says the most that each target serves. */
import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/files/markdown.ts";
import { reportModel } from "../../report/model/model.ts";
import { renderReportPage } from "../../report/page/page.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import type { Results } from "../../runner/result/result.ts";
import { concluded, doubted } from "./concluded.ts";
import { plain } from "./readable.ts";
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

Deno.test("most: runs that are not valid are in the figures, and the trust says so", () => {
  const { reliability } = concluded(doubted(uncompared(), ({ repetition }) => repetition === 1));
  assert.match(
    reliability?.sentence ?? "",
    /^\d+ of \d+ runs are valid; the figures hold the other \d+, too\.$/,
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
