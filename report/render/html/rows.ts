/**
 * Rows with a name and a value. They are markup rather than a canvas, so that they appear at the first paint, on paper
 * and without scripts. Name, value and verdict are text. A bar, or a dot with its interval and its runs, is positioned
 * in per cent of the plot's width.
 */
import type { Axis, Row, Rows } from "../../chart.ts";
import { type Markup, markup } from "../../writing/html.ts";
import { formatNumber } from "../../writing/units.ts";
import { swatchMarkup } from "./sections/tables.ts";
import { shareOf, ticksAcross, tickText } from "./ticks.ts";

/**
 * Widths of the narrowest panel and of a digit on its axis. Tick labels that stay apart in such a panel do so in wider
 * ones, too.
 */
const PANEL_PX = 330;
const DIGIT_PX = 7;

/**
 * @param id Id of the element.
 * @param width Smallest width of the plot, in pixels.
 */
export function rowsMarkup(
  { alt, axis, margin, rows }: Rows,
  id: string,
  width = PANEL_PX,
): Markup {
  const items = rows.map((row, i) => {
    const isFirst = row.group !== undefined && row.group !== rows[i - 1]?.group;
    return markup`${isFirst ? markup`<li class=group>${row.group ?? ""}` : null}${
      rowMarkup(row, axis)
    }`;
  });
  const kind = margin === undefined ? "bars" : "ratios";
  return markup`<ul class="rows ${kind}" id="${id}" aria-label="${alt}">${
    axisMarkup(axis, margin, width)
  }${items}</ul>`;
}

/**
 * The background of the rows: lines at the ticks or, for ratios, the line at 1 within the band of ratios that count as
 * equal.
 */
function axisMarkup(axis: Axis, margin: number | undefined, width: number): Markup {
  const ticks = ticksAcross(axis, width, (text) => DIGIT_PX * text.length);
  const at = percentOn(axis);
  const lines = (margin === undefined ? ticks : [1]).map((value) =>
    markup`<rect class=tick x=${at(value)}% />`
  );
  const texts = ticks.map((value, i) =>
    markup`<text x=${at(value)}% y=100%>${tickText(axis, value, i === ticks.length - 1)}</text>`
  );
  return markup`<li class=axis aria-hidden=true><svg>${
    margin === undefined ? null : spanMarkup([at(1 / margin), at(margin)], "band")
  }${lines}${texts}</svg>`;
}

/** Attributes have no quotes, to save space: a large report has thousands of these elements. */
function spanMarkup([from, to]: readonly [number, number], name: string): Markup {
  return markup`<rect class=${name} x=${from}% width=${Number((to - from).toFixed(2))}% />`;
}

/** Maps a value to its position in per cent of the width. Values beyond the axis are placed at its end. */
function percentOn(axis: Axis): (value: number) => number {
  return (value) => {
    const share = shareOf(axis, Math.min(axis.max, Math.max(axis.min, value)));
    return Number((100 * share).toFixed(2));
  };
}

function rowMarkup(row: Row, axis: Axis): Markup {
  const { label, name = label, text, word, tone, runs, color, draw } = row;
  const at = percentOn(axis);
  const known = runs.length < 2 ? [] : runs;
  const tip = known.map(({ repetition, value }) => `run ${repetition}: ${formatNumber(value)}`);
  // A long interval wraps to its own line if there is no room for it.
  const [value, ...interval] = text.split(/(?=\[)/);
  return markup`<li class=${tone} data-label="${label}"><span class=of>${
    draw === "dot" ? swatchMarkup(color) : null
  }${name}</span> <span class=ratio>${value}${
    interval.map((part) => markup`<wbr>${part}`)
  }</span> ${word === "" ? null : markup`<span class=word>${word}</span>`}<svg aria-hidden=true>${
    draw === "bar"
      ? markup`<g class=s${color}>${spanMarkup([0, at(row.value)], "bar")}</g>${
        dotsMarkup(known.map((run) => at(run.value)))
      }`
      : intervalMarkup(row, at)
  }</svg>${tip.length === 0 ? null : markup`<small class=tip>${tip.join(", ")}</small>`}`;
}

/** The dot and, if there is an interval, its line and caps. */
function intervalMarkup({ value, low, high }: Row, at: (value: number) => number): Markup {
  const dot = markup`<circle cx=${at(value)}% />`;
  if (low === null || high === null) return dot;
  const ends = [at(low), at(high)] as const;
  const caps = ends.map((x) => markup`<rect class=cap x=${x}% />`);
  return markup`${spanMarkup(ends, "interval")}${caps}${dot}`;
}

/** A dot for each run, on a line from the lowest to the highest. */
function dotsMarkup(places: readonly number[]): Markup | null {
  if (places.length === 0) return null;
  const dots = places.map((x) => markup`<circle cx=${x}% />`);
  return markup`${spanMarkup([Math.min(...places), Math.max(...places)], "interval")}${dots}`;
}
