/** Results of an experiment as several commits left them. */
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { type Trend, trendsOf } from "../../report/subjects/trend.ts";
import type { Commit, Results } from "../../runner/result/result.ts";
import { around, type Rates, resultsAt } from "./rates.ts";

/** Of a day of May, and of a commit of one sign; null without a commit. */
export function resultsOn(day: number, sign: string | null, rates: Rates, dirty = false): Results {
  const commit: Commit | null = sign === null ? null : { hash: sign.repeat(40), dirty };
  const date = `2031-05-${String(day).padStart(2, "0")}`;
  return {
    ...resultsAt(rates),
    startedAt: `${date}T10:18:00.000Z`,
    finishedAt: `${date}T10:19:00.000Z`,
    commit,
  };
}

export function trendsIn(...all: Results[]): Trend[] {
  return trendsOf(all.map((results) => ({ results, model: reportModel(results) })));
}

export function trendIn(...all: Results[]): Trend {
  const trends = trendsIn(...all);
  assert.equal(trends.length, 1);
  return trends[0];
}

export const FAST = around(1_000);
export const SLOW = around(900, 0.001);

/** A gets slower with the third commit, b stays, c is new. */
export const THREE = [
  resultsOn(1, "a", { a: FAST, b: around(2_000) }),
  resultsOn(2, "b", { a: around(1_000, 0.0005), b: around(2_000, 0.0003) }),
  resultsOn(3, "c", { a: SLOW, b: around(2_000, 0.0006), c: FAST }),
];
