/** What a report says of throughput against the tail. */
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { NOISY } from "./concluded.ts";
import { resultsAt } from "./rates.ts";
import { saidAs } from "./said.ts";

const BEST = "a has the most requests/s and the lowest p99 of 2 cells";

Deno.test("a cell that is ahead in both by less than its intervals show is not said to be proven", () => {
  const [finding] = saidAs(reportModel(resultsAt(NOISY)), "tradeoff", "front");
  assert.equal(finding, `${BEST}, but intervals overlap: the verdict says what is proven.`);
});

Deno.test("a cell that is ahead without intervals is not said to have any that overlap", () => {
  const [finding] = saidAs(
    reportModel(resultsAt({ a: [2_000], b: [1_000] }, () => ({ medianMs: 5 }))),
    ...["tradeoff", "front"] as const,
  );
  assert.equal(
    finding,
    `${BEST}, but not all of them have intervals: the verdict says what is proven.`,
  );
});

Deno.test("a cell whose intervals are beyond those of all others is ahead in both", () => {
  const rates = { a: [2_000, 2_001, 2_002], b: [1_000, 1_001, 1_002] };
  const cell = (target: string) => ({ medianMs: target === "a" ? 5 : 50 });
  const [finding] = saidAs(reportModel(resultsAt(rates, cell)), "tradeoff", "front");
  assert.equal(finding, `${BEST}.`);
});
