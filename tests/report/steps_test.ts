/** Requests of a mix, flow or page in tables, claims, thresholds and files. */
import assert from "node:assert/strict";
import { claimInResults } from "../../scenarios/claims/claim.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { type Results, results as schema } from "../../runner/result/result.ts";
import { renderCsv } from "../../report/render/csv.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { resultsFixture } from "./fixture.ts";
import { thresholdsOf } from "./gated.ts";
import { tableIn } from "./said.ts";

const EXPERIMENT = {
  name: "shop",
  targets: { one: { app: "api" }, two: { app: "api" } },
  scenarios: { checkout: { mix: [{ name: "browse", get: "/" }, { name: "pay", post: "/pay" }] } },
};

/** Of each run, `browse` is what the fixture has at 10 ms, `pay` what it has at 40 ms. */
function results(more: Partial<Results["experiment"]> = {}): Results {
  const cells = (medianMs: number) =>
    ["one", "two"].map((target) => ({ target, scenario: "checkout", medianMs, runs: 5 }));
  const fast = resultsFixture({ cells: cells(10) });
  const slow = resultsFixture({ cells: cells(40) });
  const steps = fast.runs.map((run, i) =>
    [run, slow.runs[i]].map((
      { requests, errors, rate, latency, histogram, censoredHistogram },
      at,
    ) => ({
      name: ["browse", "pay"][at],
      ...{ requests, errors, latency, histogram, censoredHistogram },
      rate: at === 0 ? rate : rate / 4,
      wrong: at === 0 ? 0 : Math.round(requests.completed / 2),
      status: { "200": requests.completed },
      seconds: [],
    }))
  );
  const runs = fast.runs.map((run, i) => ({ ...run, steps: steps[i] }));
  return schema.parse(
    JSON.parse(JSON.stringify({ ...fast, experiment: { ...EXPERIMENT, ...more }, runs })),
  );
}

const plain = (text: string): string => text.replaceAll("\u00a0", " ").replaceAll(/\s+/g, " ");

Deno.test("steps: a row for each request of each cell, with its own figures", () => {
  const model = reportModel(results());
  const steps = tableIn(model, "s1/steps");
  const { rows = [], columns = [] } = steps ?? {};
  assert.deepEqual(rows.map(([, name]) => name.text), ["browse", "browse", "pay", "pay"]);
  const order = model.context.scenarios[0].cells.map(({ label }) => label);
  assert.deepEqual(rows.map(([target]) => target.text), [...order, ...order]);
  const medians = rows.map((row) => row[columns.findIndex(({ label }) => label === "p50")]?.value);
  assert.ok(medians.every((ms, at) => Math.abs(Number(ms) / (at < 2 ? 10 : 40) - 1) < 0.1));
  const errors = rows.map((row) => Number(row.at(-1)?.value));
  assert.ok(errors.slice(0, 2).every((share) => share < 0.01), `${errors}`);
  assert.ok(errors.slice(2).every((share) => Math.abs(share - 0.5) < 0.05), `${errors}`);
});

Deno.test("steps: redirects that none took have no row, and what was never sent has no share of errors", () => {
  const { runs, ...rest } = results();
  const unsent = { due: 0, sent: 0, completed: 0, failed: 0, dropped: 0 };
  const renamed = (name: string): Results => ({
    ...rest,
    runs: runs.map((run) => ({
      ...run,
      steps: run.steps?.map((step, at) =>
        at === 0 ? step : {
          ...step,
          name,
          requests: { ...step.requests, ...unsent },
          status: {},
          wrong: 0,
        }
      ),
    })),
  });
  const rowsOf = (name: string): string[][] =>
    (tableIn(reportModel(renamed(name)), "s1/steps")?.rows ?? [])
      .map((row) => [row[1].text, row[row.length - 1].text]);
  assert.deepEqual(rowsOf("browse (redirected)").map(([name]) => name), ["browse", "browse"]);
  assert.deepEqual(rowsOf("pay").slice(2), [["pay", "–"], ["pay", "–"]]);
});

Deno.test("steps: page, terminal, markdown and CSV have them", () => {
  const model = reportModel(results());
  assert.match(renderReportPage([model]), /Requests one by one/);
  const text = renderSummary(model, { width: 100, color: false, unicode: true });
  assert.match(plain(text), /Requests one by one Target Request Requests\/s/);
  assert.match(renderMarkdown(model), /### Requests one by one/);
  const [head, first] = renderCsv(model).split("\r\n").map((line) => line.split(","));
  const at = head.indexOf("steps.pay.latencyP50Ms");
  assert.ok(Math.abs(Number(first[at]) / 40 - 1) < 0.1, first[at]);
  const alone = { ...results(), runs: results().runs.map(({ steps: _, ...run }) => run) };
  assert.doesNotMatch(renderReportPage([reportModel(alone)]), /Requests one by one/);
});

function outcomeOf(text: string): string[] {
  const { gates } = reportModel(results({ thresholds: thresholdsOf(text) }));
  return gates.map(({ scenario, label, outcome }) => `${scenario}, ${label}: ${outcome}`);
}

Deno.test("steps: a threshold that names one is held against it, and others against whole runs", () => {
  assert.deepEqual(outcomeOf("p50(checkout.pay) < 20ms"), [
    "checkout.pay, one: fail",
    "checkout.pay, two: fail",
  ]);
  assert.deepEqual(outcomeOf("p50(checkout.browse, two) < 20ms"), ["checkout.browse, two: pass"]);
  assert.deepEqual(outcomeOf("p50 < 20ms"), ["checkout, one: pass", "checkout, two: pass"]);
  assert.deepEqual(outcomeOf("p50(one) < 20ms"), ["checkout, one: pass"]);
  assert.deepEqual(outcomeOf("success(checkout.pay, one) >= 99%"), ["checkout.pay, one: fail"]);
});

Deno.test("steps: a claim holds one against another", () => {
  const claimed = (text: string): string | undefined => {
    const claims = [claimInResults.parse(
      experimentSpecWith().parse({
        ...EXPERIMENT,
        claims: [text],
      }).claims[0],
    )];
    return reportModel(results({ claims })).claims[0]?.outcome;
  };
  assert.equal(claimed("p50(checkout.pay, one) > 3 × p50(checkout.browse, one)"), "reproduced");
  assert.equal(claimed("p50(checkout.pay, one) < p50(checkout.browse, one)"), "not reproduced");
});

Deno.test("steps: names and figures that are not there are refused at their place, with the fix", () => {
  const told = (claim: string): string => {
    const { error } = experimentSpecWith().safeParse({ ...EXPERIMENT, claims: [claim] });
    return error?.issues.map(({ message }) => message).join("; ") ?? "";
  };
  assert.match(told("p50(checkout.pai) < 1s"), /did you mean "checkout\.pay"/);
  assert.match(
    told("cpu(checkout.pay) < 1"),
    /Cannot use cpu of checkout\.pay, because checkout\.pay is a single request of checkout: write rate, success, mean or a percentile of it, or name checkout/,
  );
});
