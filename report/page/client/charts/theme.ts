/// <reference lib="dom" />
/** Colours, type and tooltips of the charts, read from the page's style sheet so that both always agree. */
import type { ChartType, TooltipOptions } from "chart.js";
import { COLORS } from "../../../model/charts/charts.ts";

export interface Theme {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly paper: string;
  readonly raised: string;
  readonly link: string;
  readonly steady: string;
  readonly good: string;
  readonly alarm: string;
  readonly font: string;
  /** One colour per series; indices beyond the end begin anew. */
  series(index: number): string;
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const variable = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: variable("ink"),
    muted: variable("muted"),
    line: variable("line"),
    paper: variable("paper"),
    raised: variable("raised"),
    link: variable("link"),
    steady: variable("s2"),
    good: variable("good"),
    alarm: variable("alarm"),
    font: getComputedStyle(document.body).fontFamily,
    series: (index) => variable(`s${index % COLORS}`),
  };
}

/** `#rrggbb` with an opacity, 0–1. */
export function faded(color: string, opacity: number): string {
  return color + Math.round(opacity * 255).toString(16).padStart(2, "0");
}

/** The look of every tooltip. */
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
