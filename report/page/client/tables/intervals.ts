/// <reference lib="dom" />
/** The accessible form of the timelines: their intervals as a table, built when it is first opened. */
import type { TimelineChart } from "../../../model/charts/charts.ts";
import { boundText, formatNumber } from "../../../model/numbers/units.ts";
import { chartOf } from "../charts/page_data.ts";
import { numberElement, type NumberText, rowHead, tableElement } from "./element.ts";
import { equipTable } from "./tables.ts";

/** @param details Names its charts by their canvases. */
export function fillWhenOpened(details: HTMLDetailsElement): void {
  details.addEventListener("toggle", () => {
    if (details.querySelector("table")) return;
    for (const id of details.dataset.charts?.split(" ") ?? []) {
      const chart = chartOf(id);
      if (chart?.kind !== "timeline") continue;
      const table = intervalsTable(chart);
      details.append(table);
      equipTable(table);
    }
  });
}

function intervalsTable(chart: TimelineChart): HTMLElement {
  const { alt, percentiles, latency, rate, cpu, memory, runs } = chart;
  const heads = [
    { label: "Run", unit: "" },
    { label: "End", unit: "s" },
    { label: rate.unit, unit: "" },
    ...percentiles.map((label) => ({ label, unit: latency.unit })),
    ...(cpu ? [{ label: "CPU", unit: cpu.unit }] : []),
    ...(memory ? [{ label: "Memory", unit: memory.unit }] : []),
  ];
  const rows = runs.flatMap((run) =>
    run.t.map((t, i) => {
      const texts = [
        numberText(t),
        numberText(run.rate[i]),
        ...run.latency.map((values, p) =>
          numberText(values[i], run.lowerBounds?.[percentiles[p]]?.includes(i))
        ),
        ...(cpu ? [numberText(run.cpu[i])] : []),
        ...(memory ? [numberText(run.memory[i])] : []),
      ];
      return [rowHead(run.label), ...texts.map(numberElement)];
    })
  );
  return tableElement(alt, heads, rows);
}

function numberText(value: number | null, isAtLeast = false): NumberText {
  if (value === null) return { text: "–" };
  return { text: boundText(formatNumber(value), isAtLeast), value };
}
