/** How many requests a second of CPU time is good for, over the runs of a cell. */
import type { Cell } from "../runs/cells.ts";
import { meanRange, type Range } from "../runs/figure_range.ts";
import { type ResourceRow, resourceRows } from "./resource_rows.ts";
import { meanCoresOf, perCpuSecondOf } from "../runs/resources.ts";
import { median } from "../numbers/spread.ts";
import { formatNumber } from "../numbers/units.ts";

/** The mean over the runs, with its interval where there are several; null where no CPU time was seen. */
export function perCpuRange({ runs }: ResourceRow, level: number): Range | null {
  const values = runs.flatMap(({ run, used }) => perCpuSecondOf(used, run) ?? []);
  if (values.length === 0) return null;
  return values.length === 1 ? { value: values[0], interval: null } : meanRange(values, level);
}

/** With more of them a sentence would be a table. */
const MOST_PARTS = 4;

/** Who needs the least CPU for a request, who the most, and what the parts need; "" where nobody was watched. */
export function perCpuFinding(cells: readonly Cell[], level: number): string {
  const rows = resourceRows(cells).flatMap((row) => {
    const value = perCpuRange(row, level)?.value ?? 0;
    return value > 0 ? [{ row, value }] : [];
  });
  const wholes = rows.filter(({ row }) => row.part === null).sort((a, b) => b.value - a.value);
  const parts = rows.filter(({ row }) => row.part !== null);
  const texts = parts.length > MOST_PARTS ? [] : parts.map(partText);
  return [wholesText(wholes), ...texts].filter(Boolean).join(" ");
}

interface Counted {
  readonly row: ResourceRow;
  readonly value: number;
}

/** By value, the highest first. */
function wholesText(wholes: readonly Counted[]): string {
  const [most, ...others] = wholes;
  if (most === undefined) return "";
  const least = others.at(-1);
  const text = `${countText(most)} (${coresText(most)})`;
  const name = most.row.cell.label;
  return least === undefined
    ? `For each CPU-second ${name} answered ${text}.`
    : `For each CPU-second ${name} answered the most, ${text}; ` +
      `${least.row.cell.label} the least, ${countText(least)} (${coresText(least)}).`;
}

function partText(counted: Counted): string {
  const { cell, part } = counted.row;
  return `${part} of ${cell.label}: ${coresText(counted)}, ${countText(counted)} per CPU-second.`;
}

function countText({ value }: Counted): string {
  return `${formatNumber(value)} requests`;
}

function coresText({ row }: Counted): string {
  return `${formatNumber(median(row.runs.map(({ used }) => meanCoresOf(used))))} cores`;
}
