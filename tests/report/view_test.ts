import assert from "node:assert/strict";
import type { Timeline } from "../../report/chart.ts";
import { linkTo, readLink, shownOf, type View, WHOLE } from "../../report/client/timeline/view.ts";

const VIEW: View = { range: { fromS: 2, toS: 5.5 }, percentiles: ["p50", "p99"], runs: [1, 3] };

Deno.test("a link keeps a view, and is short where nothing was chosen", () => {
  const link = linkTo("e1-s2", VIEW);
  assert.equal(link, "#view=e1-s2&range=2-5.5&percentiles=p50,p99&runs=1,3");
  assert.deepEqual(readLink(link), { section: "e1-s2", view: VIEW });
  assert.deepEqual(readLink(linkTo("e1-s1", WHOLE)), { section: "e1-s1", view: WHOLE });
});

Deno.test("links to sections are no views, and senseless parts of a view are left out", () => {
  assert.equal(readLink("#e1-s1"), null);
  assert.equal(readLink(""), null);
  for (const part of ["range=5-2", "range=a-b", "range=1", "runs=0,x,-1,1.5", "runs="]) {
    assert.deepEqual(readLink(`#view=e1-s1&${part}`)?.view, WHOLE, part);
  }
});

Deno.test("a chart is shown with the chosen runs and percentiles only", () => {
  const run = (repetition: number) => ({
    label: `run ${repetition}`,
    repetition,
    t: [1],
    rate: [1],
    latency: [[5], [9]],
    tracks: [],
    steadyFrom: null,
    changes: [],
  });
  const axis = { unit: "ms", scale: "linear" as const, min: 0, max: 1 };
  const chart: Timeline = {
    kind: "timeline",
    alt: "",
    color: 0,
    percentiles: ["p50", "p99"],
    span: 1,
    latency: axis,
    rate: axis,
    tracks: [],
    offered: [],
    marks: [],
    isLabelled: false,
    runs: [run(1), run(3)],
  };
  const shown = shownOf(chart, { ...WHOLE, percentiles: ["p99"], runs: [2, 3] });
  assert.deepEqual(shown.percentiles, ["p99"]);
  assert.deepEqual(shown.runs, [{ ...run(3), latency: [[9]] }]);
  assert.equal(shownOf(chart, { ...WHOLE, runs: [2] }).runs.length, 2, "it has no such run");
});
