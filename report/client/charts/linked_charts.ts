/// <reference lib="dom" />
/**
 * How charts follow the reader's choice: they leave out hidden targets, and while a target is marked, all others fade.
 */
import type { Chart as Drawing, ChartDataset, Plugin } from "chart.js";
import type { Chart } from "../../chart.ts";
import { linkedItems, markedTarget, markTarget, targetOf } from "../linked/choice.ts";

/** The chart without hidden targets, in the reader's order; null if none of its targets is shown. */
export function linkedChart(chart: Chart): Chart | null {
  const linked = chart.kind === "xy"
    ? { ...chart, series: linkedItems(chart.series) }
    : chart.kind === "overlay"
    ? { ...chart, series: linkedItems(chart.series) }
    : null;
  return linked === null ? chart : linked.series.length === 0 ? null : linked;
}

/** The label of a dataset: the name of its stack, if it is in one. */
export function labelOf(
  { label = "", stack = label }: Pick<ChartDataset<"line">, "label" | "stack">,
): string {
  return stack;
}

/** The opacity of an item. It is reduced if the item does not belong to the marked target, but another item does. */
export function strengthAmong(labels: readonly string[], label: string): number {
  const isFaded = markedTarget !== null && targetOf(label) !== markedTarget &&
    labels.some((other) => targetOf(other) === markedTarget);
  return isFaded ? FADED : 1;
}

const FADED = 0.2;
/** The pointer counts as on a line within this distance. */
const NEAR_PX = 24;

/** Marks the target under the pointer in any chart with several targets, and fades the others. */
export const linkedMarks: Plugin = {
  id: "linkedMarks",
  beforeDatasetDraw: (drawing, { index }) => {
    const labels = labelsOf(drawing);
    drawing.ctx.globalAlpha = strengthAmong(labels, labels[index]);
  },
  afterDatasetDraw: ({ ctx }) => {
    ctx.globalAlpha = 1;
  },
  afterEvent: (drawing, { event: { type, x, y, native } }) => {
    if (type === "mouseout") return markTarget(null);
    if (type !== "mousemove" || x === null || y === null || native === null) return;
    const [found] = drawing.getElementsAtEventForMode(
      native,
      "nearest",
      { intersect: false, axis: "xy" },
      false,
    );
    const isOn = found !== undefined &&
      Math.hypot(found.element.x - x, found.element.y - y) <= NEAR_PX;
    markTarget(isOn ? targetOf(labelsOf(drawing)[found.datasetIndex]) : null);
  },
};

function labelsOf({ data }: Drawing): string[] {
  return data.datasets.map(labelOf);
}
