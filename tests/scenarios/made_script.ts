/** Scripts made from scenarios as they are written, with files that no disk holds. */
import assert from "node:assert/strict";
import { type Files, NO_FILES, type TableRow } from "../../base/files.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import { loadEngine } from "../../base/pattern.ts";

await loadEngine();

const PEOPLE: TableRow[] = [
  { name: "ada", word: "a1" },
  { name: "bob", word: "b2" },
  { name: "eve", word: "e3" },
];

const FILES: Files = {
  ...NO_FILES,
  octets: (path) => new TextEncoder().encode(`text of ${path}`),
  rows: (path) => path === "people.csv" ? PEOPLE : manyRows(Number(path)),
  jsonRows: () => PEOPLE,
  queried: (_, query) => PEOPLE.filter(({ name }) => query.includes(name)),
};

export function manyRows(count: number): TableRow[] {
  return Array.from({ length: count }, (_, n) => ({ n: String(n) }));
}

const spec = scenarioSpecWith(FILES);
export function script(input: object, seed = 1): Script {
  return scriptOf(spec.parse(input), seed);
}

export function requestsOf(input: object, seed = 1): Script & { kind: "requests" } {
  const made = script(input, seed);
  assert.ok(made.kind === "requests");
  return made;
}

export function flowOf(input: object, seed = 1): Script & { kind: "flow" } {
  const made = script(input, seed);
  assert.ok(made.kind === "flow");
  return made;
}

/** Paths of the first requests, as they are asked. */
export function asked(input: object, count: number, seed = 1): string[] {
  const { requests, sequence } = requestsOf(input, seed);
  return Array.from(
    { length: count },
    (_, at) => requests[sequence[at % sequence.length]].wire.path,
  );
}

export function countsOf<T>(items: readonly T[]): Map<T, number> {
  return new Map([...Map.groupBy(items, (item) => item)].map(([item, all]) => [item, all.length]));
}
