/** Results whose cells have given rates in several scenarios, beside figures that somebody published. */
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import type { PublishedModel } from "../../report/judge/published/model.ts";
import type { Published, Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { setRate } from "./rates.ts";

/** Requests/s by target, then by scenario. */
export type RateTable = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Within 1 % around a rate. */
const AROUND = [0.99, 1.004, 1, 0.996, 1.01];

export interface PublishedSpec {
  readonly measured: RateTable;
  readonly published: Partial<Published> | readonly Partial<Published>[];
  /** Of each cell; default 5. */
  readonly runs?: number;
}

export function publishedResults({ measured, published, runs = 5 }: PublishedSpec): Results {
  const cells = Object.entries(measured).flatMap(([target, rates]) =>
    Object.keys(rates).map((scenario) => ({ target, scenario, medianMs: 20, duration: 1, runs }))
  );
  const tables = [published].flat().map((table) => ({ ...EMPTY, ...table }));
  const results = resultsFixture({ cells, experiment: { published: tables } });
  for (const run of results.runs) {
    setRate(run, measured[run.target][run.scenario] * AROUND[(run.repetition - 1) % AROUND.length]);
  }
  return results;
}

const EMPTY: Published = {
  figure: "rate",
  unit: "perSec",
  relative: null,
  values: {},
  confounders: [],
};

/** Of the first table. */
export function modelOf(spec: PublishedSpec): PublishedModel {
  const [model] = reportModel(publishedResults(spec)).published;
  return model;
}

/** The texts of a column. */
export function column(model: PublishedModel, label: string): string[] {
  const { columns = [], rows = [] } = model.table ?? {};
  const at = columns.findIndex((one) => one.label === label);
  assert.notEqual(at, -1, `${label} is none of ${columns.map((one) => one.label).join(", ")}`);
  return rows.map((row) => row[at].text);
}
