/** What went wrong in each scenario and when, why, and which requests took longest. */
import { legendOf } from "../chart.ts";
import { type Block, figure, type Form, group, list, table, text } from "../blocks.ts";
import { errorsModel, flawlessText } from "./charts/errors.ts";
import type { ReportContext, ScenarioContext, Subject } from "./subject.ts";
import {
  areMixed,
  outcomesTable,
  reasonFindings,
  reasonsTable,
  slowestTable,
} from "./tables/responses.ts";

export const errors: Subject<ReportContext> = {
  id: "outcomes",
  title: "Errors and slowest requests",
  depth: "detail",
  build: ({ scenarios }) => {
    const found = scenarios.map((scenario) => ({
      ...scenario,
      errors: errorsModel(scenario.cells),
    }));
    return [
      { ...text("flawless", flawlessText(found)), forms: ["page", "terminal"] },
      ...found.map(({ errors: { charts, findings }, ...scenario }, i) =>
        group(scenario.name, [
          list(findings.map((text) => ({ code: "errors", text }))),
          figure(charts, {
            legend: charts.flatMap(({ chart }) => legendOf(chart)),
            reading: READING,
          }),
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
    table(reasonsTable(name, cells), { isCaptioned: true }),
    list(reasonFindings(cells), { title: "Errors", forms: roomy }),
    group("Slowest requests", [
      table(slowestTable(name, cells), { fold: "The slowest requests as a table" }),
    ]),
  ], { depth: "everything" })];
}

const READING =
  "Each bar is an interval. It counts the requests that ended in it and failed, or had a wrong response, over all runs, by kind. Bars at one moment are an event; bars all along are a limit. Requests that were never sent have no moment and appear only in the table.";
