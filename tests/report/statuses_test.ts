/** What every form of a measurement says of responses with another status than 2xx. */
import assert from "node:assert/strict";
import { describeMachine } from "../../base/system/describe.ts";
import { measuredAlone } from "../../report/cells/measured.ts";
import { otherStatusesText } from "../../report/findings/no_response.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { measurementFixture } from "./fixture.ts";
import { renderMeasurement, renderMeasurementMarkdown } from "./measured.ts";

const right = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
const { completed } = right.requests;
const COMPLETED = completed.toLocaleString("en");

function withStatuses(
  status: Measurement["status"],
  checks: Measurement["checks"] = { passed: 0, failed: 0 },
): Measurement {
  const sum = Object.values(status).reduce((all, count) => all + count, 0);
  return { ...right, status, checks, requests: { ...right.requests, completed: sum } };
}

const SENTENCES: readonly [Measurement["status"], string][] = [
  [{ "200": 14_892 }, ""],
  [{ "201": 4, "204": 5 }, ""],
  [{ "404": 14_892 }, "14,892 of 14,892 responses were 404"],
  [{ "200": 5, "304": 9_000 }, "9,000 of 9,005 responses were 304"],
  [{ "200": 1, "404": 12, "503": 9_000 }, "9,000 of 9,013 responses were 503, and 12 were 404"],
  [
    { "200": 1_000, "302": 3, "404": 12, "503": 9 },
    "12 of 1,024 responses were 404, and 12 had 2 other statuses outside 2xx",
  ],
  [{}, ""],
];
for (const [status, sentence] of SENTENCES) {
  Deno.test(`of ${JSON.stringify(status)} is said: "${sentence}"`, () => {
    assert.equal(otherStatusesText(withStatuses(status)), sentence);
  });
}

Deno.test("statuses that were expected are none to speak of, and those that were not are", () => {
  const checks = { passed: 50, failed: 0 };
  assert.equal(otherStatusesText(withStatuses({ "404": 50 }, checks)), "");
  assert.equal(
    otherStatusesText(withStatuses({ "200": 49, "404": 1 }, { passed: 49, failed: 1 })),
    "1 of 50 responses was 404",
  );
});

Deno.test("the terminal says it right above the recap, within 80 columns; markdown and page before all figures", () => {
  const wrong = withStatuses({ "404": completed });
  const sentence = `${COMPLETED} of ${COMPLETED} responses were 404`;
  const lines = renderMeasurement(wrong, { width: 80, color: false, unicode: true })
    .trimEnd().split("\n");
  assert.equal(lines.at(-2), sentence);
  assert.match(String(lines.at(-1)), new RegExp(` · ${COMPLETED} wrong · `));
  assert.ok(lines.every((line) => line.length <= 80));
  assert.equal(renderMeasurementMarkdown(wrong).split("\n")[2], `**${sentence}.**`);
  const alone = measuredAlone(wrong, {
    bench: { args: [], thresholds: [] },
    startedAt: "2026-11-28T12:00:00Z",
    finishedAt: "2026-11-28T12:00:10Z",
    machine: describeMachine(),
    seed: 1,
    settings: "",
  });
  const page = renderReportPage([reportModel(alone)]);
  assert.equal(/<p class="warning">(.*?)<\/p>/.exec(page)?.[1], `${sentence}.`);
  assert.doesNotMatch(
    renderMeasurement(right, { width: 80, color: false, unicode: true }),
    /responses w/,
  );
});
