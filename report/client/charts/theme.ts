/// <reference lib="dom" />
/**
 * Colours and fonts of the charts, which are read from the page's style sheet, so that charts and page always agree;
 * also the look of tooltips, and the drawing of straight lines.
 */
import { Chart as Drawing } from "chart.js";
import { COLORS, HEAT_MIXES, mixOf } from "../../cells/colors.ts";
import type { Color } from "../../chart.ts";

type ThemeNames = "ink" | "muted" | "paper" | "link" | "steady" | "alarm" | "font";

export interface Theme extends Readonly<Record<ThemeNames, string>> {
  color(color: Color): string;
  /**
   * Colour of one of the `HEAT_MIXES`, from the palest. All have the same hue, so that everyone can see their order.
   */
  heat(index: number): string;
}

/** Reads the theme from the style sheet, and applies it to the axes and tooltips of Chart.js. */
export function useTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const variable = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const target = (color: number): string => {
    const mix = mixOf(color);
    const other = variable(mix < 0 ? "ink" : "paper");
    return mixed(variable(`s${color % COLORS}`), other, Math.abs(mix));
  };
  const [ink, muted, line, paper] = ["ink", "muted", "line", "paper"].map(variable);
  const font = getComputedStyle(document.body).fontFamily;
  Drawing.defaults.set({ color: muted, borderColor: line, font: { family: font, size: 11 } });
  Drawing.defaults.set("plugins.tooltip", {
    ...{ backgroundColor: variable("raised"), titleColor: muted, bodyColor: ink },
    ...{ borderColor: line, borderWidth: 1, cornerRadius: 4, padding: 8, displayColors: false },
    ...{ titleFont: { size: 12, weight: "normal" }, bodyFont: { size: 12 } },
  });
  return {
    ...{ ink, muted, paper, font },
    link: variable("link"),
    steady: variable("s2"),
    alarm: variable("alarm"),
    color: (color) => typeof color === "number" ? target(color) : variable(color),
    heat: (index) => mixed(variable("paper"), variable("heat"), HEAT_MIXES[index]),
  };
}

/** Mixes two `#rrggbb` colours. `share` is the share of the second. */
function mixed(color: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [one, two] = [color, other].map((text) => parseInt(text.slice(at, at + 2), 16));
    return Math.round(one * (1 - share) + two * share).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

/** The `#rrggbb` colour with an opacity, 0–1. */
export function faded(color: string, opacity: number): string {
  return color + Math.round(opacity * 255).toString(16).padStart(2, "0");
}

/** Draws straight lines in a single stroke. Each line is given as `[fromX, fromY, toX, toY]`. */
export function strokeLines(
  ctx: CanvasRenderingContext2D,
  lines: readonly (readonly number[])[],
): void {
  ctx.beginPath();
  for (const [fromX, fromY, toX, toY] of lines) {
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(toX, toY);
  }
  ctx.stroke();
}
