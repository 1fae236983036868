/** Files that a program of version 1 of the schema wrote: they are read as files of version 2. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { resultForms } from "../../cli/output/formats.ts";
import { groupedOf, parseMeasured, readResumable } from "../../cli/results/reading.ts";
import { renderMeasurement } from "../report/measured.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import type { ResultSide } from "../../report/judge/differences.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { fromVersion1 } from "../../runner/result/earlier/version_1.ts";
import { comparedText } from "../report/compared.ts";

/** Written by the last program of version 1, with the figures that it printed of some of them. */
const FOLDER = new URL("../results_v1/", import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const PLAIN = { width: 100, color: false, unicode: true };

function textOf(name: string): string {
  return readFileSync(new URL(name, FOLDER), "utf8");
}

function readOf(name: string): Results | Measurement {
  return parseMeasured(textOf(name), name);
}

/** The same as a file of version 2: written and read again. */
function rewritten(name: string): Results | Measurement {
  const text = JSON.stringify(readOf(name));
  assert.match(text, /"plateau\.(?:bench|results)\/2"/);
  return parseMeasured(text, name);
}

for (const name of names) {
  Deno.test(`${name} of version 1 is read as one of version 2`, () => {
    const text = textOf(name);
    const read = parseMeasured(text, name);
    assert.match(read.schema, /^plateau\.(bench|results)\/2$/);
    const before = JSON.parse(text);
    assert.deepEqual(numbersIn(read), numbersIn(before));
    assert.deepEqual(findingsIn(read).length, findingsIn(before).length);
  });
}

/**
 * The cells of each line, without those that only one of the programs prints: requests per CPU-second of a part,
 * which said nothing, as the other parts worked for the same requests.
 */
function rowsOf(text: string): string[][] {
  const [head, ...lines] = text.split("\r\n").map((line) => line.split(","));
  const isOfPart = (at: number): boolean => head[at]?.endsWith(".requestsPerCpuSecond");
  const isNew = (at: number): boolean => head[at] === "errors.script"; // scripts came later
  return lines.map((cells) => cells.filter((_, at) => !isOfPart(at) && !isNew(at)));
}

/** What the fold over the reasons says: of quick no run is valid, as its card has said. */
const FOLDS = { quick: "Runs in doubt<", sweep: "Suspect: |Invalid: " };

for (const [name, fold] of Object.entries(FOLDS)) {
  Deno.test(`the figures of ${name} are those that version 1 printed`, async () => {
    const read = readOf(`${name}.json`);
    assert.ok("runs" in read);
    const { csv, html, markdown, junit } = resultForms([read]);
    const rows = rowsOf(String(await csv?.()));
    const before = rowsOf(textOf(`${name}.csv`));
    assert.ok(rows.length > 2);
    assert.deepEqual(rows, before);
    for (const form of [markdown, junit]) {
      assert.doesNotMatch(String(await form?.()), /undefined|NaN/);
    }
    assert.match(
      String(await html?.()),
      new RegExp(`<details class="trust (?:suspect|invalid)"><summary>(?:${fold})`),
    );
  });
}

for (const name of names.filter((name) => name.startsWith("bench_"))) {
  Deno.test(`${name} of version 1 is printed without gaps`, () => {
    const read = readOf(name);
    assert.ok(!("runs" in read));
    assert.doesNotMatch(renderMeasurement(read, PLAIN), /undefined|NaN/);
  });
}

function sideOf(result: Results | Measurement): ResultSide {
  return "runs" in result
    ? result
    : { ...groupedOf(result), version: result.version, machine: null };
}

const PAIRS = [
  ["compare_quick.txt", "quick.json", "quick.json"],
  ["compare_bench.txt", "bench_closed.json", "bench_neighbour.json"],
] as const;

for (const [printed, base, next] of PAIRS) {
  Deno.test(`compare has the figures of ${printed}, from version 1 and from version 2`, () => {
    const figures = textOf(printed).match(/(?:p99 )?[\d,.]+(?: ms)? → [\d,.]+ (?:ms|requests\/s)/g);
    assert.ok(figures !== null);
    for (const [a, b] of [[readOf(base), readOf(next)], [readOf(base), rewritten(next)]]) {
      const comparison = compareResults(sideOf(a), sideOf(b));
      const text = comparedText(comparison).replaceAll("\u00a0", " ");
      for (const figure of figures) assert.ok(text.includes(figure), `${figure}\n${text}`);
    }
  });
}

Deno.test("results of version 1 are not resumed, and the message has the reason", async () => {
  await assert.rejects(
    readResumable(fileURLToPath(new URL("interrupted.json", FOLDER))),
    /Cannot resume results in version 1 of the format, because new runs would be in version 2/,
  );
});

Deno.test("a file of version 2 passes the converter unchanged", () => {
  const text = textOf("bench_closed.json");
  const read = parseMeasured(text, "bench_closed.json");
  assert.deepEqual(fromVersion1(read), read);
});

Deno.test("an old key beside its new name is refused", () => {
  const text = textOf("bench_closed.json");
  const mixed = JSON.stringify({ ...JSON.parse(text), elapsedS: 1 });
  assert.throws(() => parseMeasured(mixed, "mixed.json"));
});

/** Every number of a file but those that findings repeat: the converter changes names alone. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => key === "findings" ? [] : numbersIn(held))
    .toSorted((a, b) => a - b);
}

/** Of every generator and agent: objects in version 2, sentences in version 1. */
function findingsIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) =>
    Array.isArray(held) && (key === "findings" || key === "reasons") ? held : findingsIn(held)
  );
}
