/** How charts follow the targets that the reader chose. */
import type { Chart } from "../../chart.ts";
import { linkedItems } from "../linked/choice.ts";

/** Without what belongs to hidden targets; null where nothing is left. */
export function linkedChart(chart: Chart): Chart | null {
  switch (chart.kind) {
    case "xy": {
      const series = linkedItems(chart.series);
      return series.length === 0 ? null : { ...chart, series };
    }
    case "overlay": {
      const series = linkedItems(chart.series);
      return series.length === 0 ? null : { ...chart, series };
    }
    default:
      return chart;
  }
}
