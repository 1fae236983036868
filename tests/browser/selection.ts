/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** What a page shows of a selected part of the runs, beside what the results file says of it. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { mean, sum } from "../../report/writing/spread.ts";
import type { Run } from "../../runner/result/result.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { intervalBlocks } from "../../runner/stats/confidence/pool.ts";
import { drawnBox } from "./chromium.ts";
import { MODEL, RESULTS } from "./sample.ts";

const PERCENTILES = [50, 75, 90, 99];

/** Rate, percentiles in ms and completed requests of runs from `fromS` to `toS`, by the results file alone. */
export function figuresOf(
  runs: readonly Run[],
  [fromS, toS]: readonly number[],
): number[] {
  const parts = runs.map(({ timeline: { points }, latency: { clock } }) =>
    intervalBlocks(points, clock)
      .filter((_, i) => (points[i - 1]?.endS ?? 0) >= fromS && points[i].endS <= toS)
  );
  const latency = mergeHistograms(parts.flat().map(({ latency }) => latency));
  const completed = parts.map((blocks) => sum(blocks, ({ completed }) => completed));
  return [
    mean(parts.map((blocks, i) => completed[i] / sum(blocks, ({ seconds }) => seconds))),
    ...PERCENTILES.map((p) => latency.valueAtPercentile(p) / 1_000),
    sum(completed, (count) => count),
  ];
}

export function runsOf(scenario: string, target: string): Run[] {
  return RESULTS.runs.filter((run) => run.scenario === scenario && run.target === target);
}

interface Shown {
  readonly caption: string;
  readonly rows: readonly (readonly [string, ...number[]])[];
  readonly ratios: readonly string[];
  readonly status: string;
}

/** The table of the selection, once it says `caption`. */
export async function shownAs(page: Page, caption: RegExp, section = "e1-s1"): Promise<Shown> {
  const figure = page.locator(`#${section}-timeline`);
  await figure.locator(".selected caption", { hasText: caption }).waitFor({ state: "attached" });
  return figure.evaluate((element) => {
    const table = element.querySelector<HTMLTableElement>(".selected table");
    const rows = [...table?.tBodies[0].rows ?? []];
    return {
      caption: table?.caption?.textContent ?? "",
      rows: rows.map(({ cells: [name, ...cells] }): [string, ...number[]] => [
        name.textContent ?? "",
        ...cells.map(({ dataset, textContent }) =>
          Number(dataset.v ?? textContent?.replaceAll(",", ""))
        ),
      ]),
      ratios: [...rows.at(-1)?.querySelectorAll("td small") ?? []].map((cell) =>
        cell.textContent ?? ""
      ),
      status: element.querySelector(":scope > [role=status]")?.textContent ?? "",
    };
  });
}

/** Selects from and to these shares of a canvas' width. */
export async function drag(
  page: Page,
  id: string,
  [from, to]: readonly [number, number],
): Promise<void> {
  const box = await drawnBox(page, id);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * (from + to) / 2, y + 3, { steps: 3 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 3 });
  await page.mouse.up();
}

/**
 * That of a table of this range. The fields tell it at once, the table a frame later: until then it may be of
 * a step of the drag.
 */
export function captionOf(range: readonly [number, number]): RegExp {
  return new RegExp(`^${range.join("–")} s of every run$`);
}

/** Failed requests stand in a last column, which the results hold elsewhere. */
export function assertFigures(
  { rows }: Shown,
  targets: readonly string[],
  expected: (target: string) => number[],
): void {
  assert.deepEqual(rows.map(([name]) => name), targets);
  for (const [target, ...figures] of rows) {
    const wanted = expected(target);
    figures.length = wanted.length;
    assert.ok(Math.abs(figures[0] / wanted[0] - 1) < 1e-9, `${target}: ${figures[0]}`);
    assert.deepEqual(figures.slice(1), wanted.slice(1), target);
  }
}

export const TARGETS = MODEL.context.scenarios[0].cells.map(({ label }) => label);

/** What its inputs say, seconds. */
export async function rangeOf(page: Page, section = "e1-s1"): Promise<[number, number]> {
  const value = (name: string) =>
    page.locator(`#${section}-timeline input[name=${name}]`).inputValue().then(Number);
  return [await value("from"), await value("to")];
}
