/** Numbers for the colours of targets. The page's style sheet and its client derive the same colours from them. */

/**
 * How many colours the style sheet has. Shade `shade` of colour `c` has the number `c + COLORS * shade`, where shade 0
 * is the plain colour, 1 the darkest and `SHADES` the lightest.
 */
export const COLORS = 10;
const SHADES = 41;

/**
 * The number of a target's colour in a shade.
 * @param index Index of the target.
 * @param lightness From 0, the darkest, to 1.
 */
export function colorAt(index: number, lightness: number): number {
  const shade = Math.round(lightness * (SHADES - 1)) + 1;
  return index % COLORS + COLORS * (shade === (SHADES + 1) / 2 ? 0 : shade);
}

/**
 * The share of the text colour (negative) or the background colour (positive) that is mixed into a colour to shade it.
 */
export function mixOf(color: number): number {
  const shade = Math.floor(color / COLORS);
  return shade === 0 ? 0 : ((shade - 1) / (SHADES - 1) - 0.5) * MOST_MIXED * 2;
}

/** The largest share that is mixed into a colour. With more, too little of the colour would be visible. */
const MOST_MIXED = 0.55;

/** The share of the heat colour in each step of a heatmap, from the palest; the rest is the background colour. */
export const HEAT_MIXES = [0.16, 0.32, 0.48, 0.66, 0.84, 1] as const;

/** The style sheet's rules for swatches of the plain colours, of `colors`, and of the steps of a heatmap. */
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
