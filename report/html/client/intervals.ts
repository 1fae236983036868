/// <reference lib="dom" />
/** The accessible form of the timelines: their intervals as a table, built when it is first opened. */
import type { TimelineChart } from "../../charts.ts";
import { formatNumber } from "../../units.ts";

export function intervalsTable(chart: TimelineChart): HTMLTableElement {
  const { alt, percentiles, latency, rate, cpu, runs } = chart;
  const table = document.createElement("table");
  table.createCaption().textContent = alt;
  const figures = [
    "End, s",
    rate.unit,
    ...percentiles.map((percentile) => `${percentile}, ${latency.unit}`),
    ...(cpu ? [`CPU, ${cpu.unit}`] : []),
  ];
  const head = table.createTHead().insertRow();
  head.append(
    headCell("Run", "col"),
    ...figures.map((figure) => headCell(figure, "col", "number")),
  );
  const body = table.createTBody();
  for (const run of runs) {
    run.t.forEach((t, i) => {
      const values = [t, run.rate[i], ...run.latency.map((values) => values[i])];
      if (cpu) values.push(run.cpu[i]);
      body.insertRow().append(headCell(run.label, "row"), ...values.map(numberCell));
    });
  }
  return table;
}

function headCell(text: string, scope: "col" | "row", kind = "text"): HTMLTableCellElement {
  const cell = document.createElement("th");
  cell.scope = scope;
  cell.className = kind;
  cell.textContent = text;
  return cell;
}

function numberCell(value: number | null): HTMLTableCellElement {
  const cell = document.createElement("td");
  cell.className = "number";
  cell.textContent = value === null ? "–" : formatNumber(value);
  return cell;
}
