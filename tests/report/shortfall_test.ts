import assert from "node:assert/strict";
import { shortfallOf } from "../../report/judge/shortfall.ts";
import { shortfallText } from "../../report/findings/judgements.ts";
import { reportModel } from "../../report/model.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { capacities } from "./searched.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

/** Requests that came and how they ended, of each of a second. */
interface Ends {
  readonly due?: number;
  readonly completed: number;
  readonly timeouts?: number;
  readonly dropped?: number;
  /** Completed after the deadline. */
  readonly late?: number;
}

/** Each target at each rate, with what became of its requests. */
function offered(cells: Readonly<Record<string, Readonly<Record<number, Ends>>>>): Results {
  const all = Object.entries(cells).flatMap(([target, byRate]) =>
    Object.keys(byRate).map((rate): SweepCell => ({
      target,
      parameters: { rate: `${rate}/s` },
      rate: Number(rate),
      medianMs: target === "cached" ? 4 : 6,
    }))
  );
  const results = sweepResults(all);
  for (const run of results.runs) {
    endAs(run, cells[run.target][parseInt(String(run.parameters.rate))]);
  }
  return results;
}

function endAs(run: Run, { completed, timeouts = 0, dropped = 0, late = 0, ...more }: Ends): void {
  const due = more.due ?? completed + timeouts + dropped;
  const unfinished = due - completed - timeouts - dropped;
  run.requests = { due, completed, failed: timeouts, unfinished, dropped };
  run.errors = timeouts === 0 ? {} : { timeout: timeouts };
  run.status = { "200": completed };
  run.checks = { passed: completed, failed: 0 };
  run.rate = (completed - late) / run.elapsedS;
  if (late > 0) run.drain = { durationS: 1, completed: late, failed: 0 };
}

function verdictOf(results: Results): [code: string, sentence: string] {
  const { code, sentence } = reportModel(results).card;
  return [code, sentence.replaceAll("\u00a0", " ")];
}

function shortOf(ends: Ends): string | null {
  const short = shortfallOf(groupRuns(offered({ plain: { 2000: ends } }))[0].cells[0]);
  return short && shortfallText(short).replaceAll("\u00a0", " ");
}

Deno.test("shortfall: what most requests of a cell end in names it", () => {
  const label = "plain · rate 2000/s";
  assert.equal(
    shortOf({ completed: 1_620, timeouts: 380 }),
    `${label} times out on 19 % of requests`,
  );
  assert.equal(
    shortOf({ completed: 1_700, timeouts: 30, dropped: 270 }),
    `14 % of the requests to ${label} were never sent`,
  );
  assert.equal(shortOf({ completed: 0, timeouts: 2_000 }), `${label} sent no response`);
  assert.equal(
    shortOf({ due: 2_000, completed: 1_600 }),
    `${label} completes 1,600 of 2,000 requests/s`,
  );
});

Deno.test("shortfall: what is in flight at the deadline, and a few errors, are none", () => {
  assert.equal(shortOf({ completed: 2_000 }), null);
  assert.equal(shortOf({ completed: 1_985, timeouts: 15 }), null);
  // 6 ms of a second are on their way.
  assert.equal(shortOf({ due: 2_000, completed: 1_955 }), null);
  assert.equal(
    shortOf({ due: 2_000, completed: 1_940 }),
    `${"plain · rate 2000/s"} completes 1,940 of 2,000 requests/s`,
  );
});

Deno.test("shortfall: a backlog that is worked off after the deadline is one", () => {
  assert.match(shortOf({ completed: 2_000, late: 300 }) ?? "", /completes 1,700 of 2,000/);
});

Deno.test("shortfall: who keeps up alone is the verdict, with what the other falls short by", () => {
  const results = offered({
    cached: { 2000: { completed: 2_000 } },
    plain: { 2000: { completed: 1_620, timeouts: 380 } },
  });
  assert.deepEqual(verdictOf(results), [
    "falls-short",
    "Only cached keeps up: plain times out on 19 % of requests.",
  ]);
});

Deno.test("shortfall: where nobody keeps up nobody leads, whatever the p99 of a backlog", () => {
  const results = offered({
    a: { 9000: { due: 9_000, completed: 4_000 } },
    b: { 9000: { due: 9_000, completed: 6_000 } },
  });
  const [code, sentence] = verdictOf(results);
  assert.equal(code, "falls-short");
  assert.match(
    sentence,
    /^Both targets fall short: a completes 4,000 of 9,000 requests\/s, b completes /,
  );
});

Deno.test("shortfall: nowhere is a target that falls short as fast as one that keeps up", () => {
  for (
    const plain of [
      { completed: 1_970, timeouts: 30 },
      { completed: 1_970, dropped: 30 },
      { due: 2_000, completed: 1_930 },
    ]
  ) {
    const [code, sentence] = verdictOf(
      offered({ cached: { 2000: { completed: 2_000 } }, plain: { 2000: plain } }),
    );
    assert.equal(code, "falls-short");
    assert.match(sentence, /^Only cached keeps up: /);
  }
});

Deno.test("shortfall: requests that a search never sent were late by its rules, below its limit they are missed", () => {
  const kindAt = (share: number): string | undefined => {
    const results = capacities({ a: { perSec: 1_000 } }, share);
    for (const { requests } of results.runs) {
      requests.dropped = Math.round(0.05 * requests.completed);
      requests.due += requests.dropped;
    }
    return shortfallOf(groupRuns(results)[0].cells[0])?.kind;
  };
  assert.deepEqual([kindAt(1), kindAt(0.8)], [undefined, "dropped"]);
});
