/// <reference lib="dom" />
/** Every run in time: a dot against the mean of its cell, by its trust; beneath, how busy the machine was. */
import type { Chart, ChartConfiguration, Point } from "chart.js";
import type { OrderChart } from "../../../model/charts/charts.ts";
import { titledScale } from "./scatter.ts";
import { faded, type Theme, tooltip } from "./theme.ts";

const RADIUS_PX = 3.5;
/** Of the lane beneath the dots. */
const LANE_PX = 26;

export function orderConfig(
  data: OrderChart,
  theme: Theme,
): ChartConfiguration<"line", Point[]> {
  const { runs } = data;
  const colors = runs.map(({ color }) => theme.series(color));
  return {
    type: "line",
    data: {
      datasets: [{
        data: runs.map(({ ratio }, i) => ({ x: i + 1, y: ratio })),
        showLine: false,
        clip: RADIUS_PX * 2,
        pointStyle: runs.map(({ trust }) => trust === "invalid" ? "crossRot" : "circle"),
        pointRadius: RADIUS_PX,
        pointHoverRadius: RADIUS_PX + 2,
        pointHitRadius: 8,
        pointBorderWidth: 1.5,
        pointBorderColor: colors,
        pointBackgroundColor: runs.map(({ trust }, i) =>
          trust === "valid" ? colors[i] : theme.paper
        ),
      }],
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      layout: { padding: { top: 6, right: 14 } },
      interaction: { mode: "nearest", intersect: true },
      scales: {
        x: titledScale(
          { unit: "", scale: "linear", min: 0, max: runs.length + 1 },
          "runs in the order in which they ran",
          theme,
        ),
        y: titledScale(data.axis, "requests/s", theme),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            title: ([item]) => item ? runs[item.dataIndex].label : "",
            label: ({ dataIndex }) => [...runs[dataIndex].lines],
          },
        },
      },
    },
    plugins: [{ id: "lane", beforeDatasetsDraw: (chart) => drawLane(chart, data, theme) }],
  };
}

/** At the foot of the plot: a column a run, full height where all cores were busy; and the line of no difference. */
function drawLane(
  { ctx, chartArea: { left, right, bottom }, scales: { x, y } }: Chart,
  { runs }: OrderChart,
  theme: Theme,
): void {
  ctx.save();
  ctx.strokeStyle = theme.muted;
  ctx.beginPath();
  ctx.moveTo(left, y.getPixelForValue(1));
  ctx.lineTo(right, y.getPixelForValue(1));
  ctx.stroke();
  ctx.fillStyle = faded(theme.muted, 0.35);
  const width = Math.max(1, (x.getPixelForValue(2) - x.getPixelForValue(1)) * 0.7);
  runs.forEach(({ busy }, i) => {
    const height = LANE_PX * Math.min(1, busy ?? 0);
    ctx.fillRect(x.getPixelForValue(i + 1) - width / 2, bottom - height, width, height);
  });
  ctx.restore();
}
