/// <reference lib="dom" />
/** Colours, type and tooltips of the charts, read from the page's style sheet so that both always agree. */
import type { ChartType, TooltipOptions } from "chart.js";
import { COLORS, mixOf } from "../../cells/colors.ts";
import type { Color } from "../../chart.ts";

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
  color(color: Color): string;
  /** Of `HEAT_SHARES`, from the palest: one hue, so that everybody sees the order. */
  heat(index: number): string;
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const variable = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const target = (color: number): string => {
    const mix = mixOf(color);
    const other = variable(mix < 0 ? "ink" : "paper");
    return mixed(variable(`s${color % COLORS}`), other, Math.abs(mix));
  };
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
    color: (color) => typeof color === "number" ? target(color) : variable(color),
    heat: (index) => mixed(variable("paper"), variable("heat"), HEAT_MIXES[index]),
  };
}

/** How much of the hue each colour of a heatmap has, as the style sheet has them. */
const HEAT_MIXES = [0.16, 0.32, 0.48, 0.66, 0.84, 1];

/** Of two `#rrggbb`, so much of the second. */
function mixed(color: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [one, two] = [color, other].map((text) => parseInt(text.slice(at, at + 2), 16));
    return Math.round(one * (1 - share) + two * share).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
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
