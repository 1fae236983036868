/** Results whose cells have given rates in several scenarios, beside figures that somebody published. */
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import type { Block, Group } from "../../report/blocks.ts";
import type { Table } from "../../report/subjects/tables/table.ts";
import type { Published, Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { setRate } from "./rates.ts";
import { plain } from "./readable.ts";

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

/** What the page says of a table of published figures. */
export interface PublishedPart {
  readonly title: string;
  readonly finding: string;
  readonly differences: readonly string[];
  readonly confounders: readonly string[];
  readonly missing: string;
  readonly table: Table | null;
}

/** One for each table. */
export function partsOf(results: Results): PublishedPart[] {
  const said = reportModel(results).groups.find(({ id }) => id === "published");
  return (said?.blocks ?? []).flatMap((block) => block.kind === "group" ? [partOf(block)] : []);
}

function partOf({ title, blocks }: Group): PublishedPart {
  const flat = (block: Block): Block[] =>
    block.kind === "group" ? block.blocks.flatMap(flat) : [block];
  const all = blocks.flatMap(flat);
  const text = (code: string): string =>
    all.flatMap((one) => one.kind === "text" && one.code === code ? [one.text] : []).join();
  const items = (title: string): string[] =>
    all.flatMap((one) =>
      one.kind === "list" && one.title === title ? one.items.map(({ text }) => text) : []
    );
  const [table = null] = all.flatMap((one) => one.kind === "table" ? [one.table] : []);
  return {
    title,
    finding: text("published.likeness"),
    differences: items("Differences that matter"),
    confounders: items("Other differences"),
    missing: text("published.missing"),
    table: table?.rows.length ? table : null,
  };
}

/** Of the first table. */
export function modelOf(spec: PublishedSpec): PublishedPart {
  const [part] = partsOf(publishedResults(spec));
  return part;
}

/** The texts of a column, with plain spaces, between bars. */
export function column(model: PublishedPart, label: string): string {
  const { columns = [], rows = [] } = model.table ?? {};
  const at = columns.findIndex((one) => one.label === label);
  assert.notEqual(at, -1, `${label} is none of ${columns.map((one) => one.label).join(", ")}`);
  return plain(rows.map((row) => row[at].text).join(" | "));
}

export function notesOf({ table }: PublishedPart): string {
  return table?.notes.join(" ") ?? "";
}

/** The rows that differ, in their order. */
export function differing({ differences }: PublishedPart): string {
  return differences.map((text) => text.replace(/:.*/, "")).join(" | ");
}
