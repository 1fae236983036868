/** What went wrong in each scenario and when, why, and which requests took longest. */
import { ERRORS, wrongResponsesOf } from "../../runner/result/outcome.ts";
import type { Run } from "../../runner/result/result.ts";
import { type Block, type Finding, type Form, group, list, table, text } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { errorsOf } from "../figures/errors.ts";
import { sum } from "../writing/spread.ts";
import { formatCount, formatNumber, formatShare, GLUE } from "../writing/units.ts";
import { listed } from "../writing/words.ts";
import type { ReportContext, ScenarioContext, Subject } from "./subject.ts";
import {
  areMixed,
  ERROR_WORDS,
  outcomesTable,
  reasonFindings,
  slowestTable,
} from "./tables/responses.ts";

export const errors: Subject<ReportContext> = {
  id: "outcomes",
  title: "Errors and slowest requests",
  depth: "detail",
  build: ({ scenarios }) => {
    const found = scenarios.map((scenario) => ({
      ...scenario,
      findings: errorFindings(scenario.cells),
    }));
    return [
      { ...text("flawless", flawlessText(found)), forms: ["page", "terminal"] },
      ...found.map(({ findings, ...scenario }, i) =>
        group(scenario.name, [
          list(findings),
          ...inDetail(scenario, findings.length > 0),
        ], { id: String(i + 1), depth: findings.length > 0 ? "detail" : "everything" })
      ),
    ];
  },
};

/** @param isFaulty If false, a terminal does not show the outcomes of all requests. */
function inDetail({ name, cells, roomy }: ScenarioContext, isFaulty: boolean): Block[] {
  const forms: readonly Form[] = isFaulty ? ["page", ...roomy] : ["page"];
  return [group("", [
    ...areMixed(cells) ? [table(outcomesTable(name, cells), { isCaptioned: true, forms })] : [],
    list(reasonFindings(cells), { title: "Errors", forms: ["page", "markdown", ...roomy] }),
    group("Slowest requests", [
      table(slowestTable(name, cells), { fold: "The slowest requests as a table" }),
    ]),
  ], { depth: "everything" })];
}

/** With more cells than this, the others are only in the table. */
const MOST_CELLS = 6;

/** A sentence for each cell in which something went wrong; none if nothing did. */
function errorFindings(cells: readonly CellRuns[]): Finding[] {
  const countOf = ({ runs }: CellRuns): number => errorsOf(runs).count;
  const faulty = cells.filter((cell) => countOf(cell) > 0);
  // In the order of the cells, unless there are too many.
  const named = faulty.length <= MOST_CELLS
    ? faulty
    : faulty.toSorted((a, b) => countOf(b) - countOf(a)).slice(0, MOST_CELLS);
  return named.map((cell) => ({ code: "errors", text: errorText(cell) }));
}

/** One sentence for all scenarios without errors; "" for none. */
function flawlessText(
  scenarios: readonly { readonly name: string; readonly findings: readonly Finding[] }[],
): string {
  const flawless = scenarios.filter(({ findings }) => findings.length === 0);
  if (flawless.length === 0) return "";
  const text = "o request failed, none was left unsent, and no response was wrong.";
  if (flawless.length === scenarios.length) return `N${text}`;
  return `In ${listed(flawless.map(({ name }) => name), "and")} n${text}`;
}

/** Ways in which requests go wrong, with their number in a run. */
const KINDS: readonly (readonly [word: string, count: (run: Run) => number])[] = [
  ...ERRORS.map((kind) =>
    [ERROR_WORDS[kind].toLowerCase(), ({ errors }: Run) => errors[kind] ?? 0] as const
  ),
  ["wrong responses", wrongResponsesOf],
  ["never sent", ({ requests }) => requests.dropped],
];

/** `express: 1.2 % of 30,000 requests went wrong (timed out 120, wrong responses 240), between 0.2 and 2.9 s of a run.` */
function errorText({ label, runs, errorRatio }: CellRuns): string {
  const counts = KINDS.map(([word, count]) => ({ word, count: sum(runs, count) }))
    .filter(({ count }) => count > 0).map(({ word, count }) => `${word} ${formatCount(count)}`);
  return `${label}: ${formatShare(errorRatio)} of ${
    formatCount(errorsOf(runs).of)
  } requests went wrong (${counts.join(", ")})${whenText(runs)}.`;
}

/** The first and the last interval with an error, in any run; "" if unknown. */
function whenText(runs: readonly Run[]): string {
  const spans = runs.flatMap(({ timeline: { intervalS, points } }) =>
    points.filter((point) => point.failed + (point.wrong ?? 0) > 0)
      .map(({ endS }) => [Math.max(0, endS - intervalS), endS])
  );
  if (spans.length === 0) return "";
  const from = spans.reduce((least, [start]) => Math.min(least, start), Infinity);
  const to = spans.reduce((most, [, end]) => Math.max(most, end), 0);
  return `, between ${formatNumber(from, 2)} and ${formatNumber(to, 2)}${GLUE}s of a run`;
}
