/** The look of every tooltip. */
import type { ChartType, TooltipOptions } from "chart.js";
import type { Theme } from "./theme.ts";

export function tooltip(
  { raised, ink, muted, line, font }: Theme,
): Partial<TooltipOptions<ChartType>> {
  return {
    backgroundColor: raised,
    titleColor: muted,
    bodyColor: ink,
    borderColor: line,
    borderWidth: 1,
    cornerRadius: 4,
    padding: 8,
    displayColors: false,
    titleFont: { family: font, size: 12, weight: "normal" as const },
    bodyFont: { family: font, size: 12 },
  };
}
