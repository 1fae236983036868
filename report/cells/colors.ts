/** The colours of targets, as numbers, from which the page's style sheet and its client derive the same colours. */

/**
 * Number of colours in the style sheet. A shade of colour `c` is numbered `c + COLORS * shade`, where shade 0 is the
 * plain colour, 1 the darkest and `SHADES` the lightest.
 */
export const COLORS = 10;
const SHADES = 41;

/** The colour of a target in a shade. @param index Index of the target. @param lightness From 0, the darkest, to 1. */
export function colorAt(index: number, lightness: number): number {
  const shade = Math.round(lightness * (SHADES - 1)) + 1;
  return index % COLORS + COLORS * (shade === (SHADES + 1) / 2 ? 0 : shade);
}

/** How much ink (below 0) or paper (above 0) is mixed into a colour. */
export function mixOf(color: number): number {
  const shade = Math.floor(color / COLORS);
  return shade === 0 ? 0 : ((shade - 1) / (SHADES - 1) - 0.5) * MOST_MIXED * 2;
}

/** The largest share of ink or paper in a mix: with more, too little of the colour would be visible. */
const MOST_MIXED = 0.55;

/** How much of its hue each step of a heatmap has, from the palest. */
export const HEAT_MIXES = [0.16, 0.32, 0.48, 0.66, 0.84, 1] as const;

/** Rules of the style sheet for swatches: for colours without a shade, for `colors`, and for the steps of a heatmap. */
export function swatchRules(colors: readonly number[]): string {
  const mixed = (name: string, share: number, other: string): string =>
    share === 1
      ? `var(--${name})`
      : `color-mix(in srgb,var(--${name}) ${Math.round(100 * share)}%,var(--${other}))`;
  const all = new Set([...Array(COLORS).keys(), ...colors]);
  return [
    ...[...all].map((color) => {
      const mix = mixOf(color);
      const own = mixed(`s${color % COLORS}`, 1 - Math.abs(mix), mix < 0 ? "ink" : "paper");
      return `.s${color}{--own:${own}}`;
    }),
    ...HEAT_MIXES.map((share, i) => `.heat-${i}{--own:${mixed("heat", share, "paper")}}`),
  ].join("");
}
