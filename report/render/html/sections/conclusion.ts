/**
 * The first screen of the page: the verdict in one sentence, one large figure, a small forest plot or the winners at
 * each setting, whether the results are reliable, and what to do next. It works without scripts.
 */
import { type CardModel, claimCountsText } from "../../../subjects/verdict/conclusion.ts";
import {
  type ConclusionForest,
  type ConclusionRow,
  winnersTable,
} from "../../../subjects/verdict/card.ts";
import { axisOver, type Row, type Rows } from "../../../chart.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { isTooWide } from "../../../writing/units.ts";
import { rowsMarkup } from "../rows.ts";
import { withCode } from "../texts.ts";
import { tableMarkup } from "./tables.ts";

/** @param id Id of the card's document. */
export function conclusionMarkup(card: CardModel, id: string): Markup | null {
  const { sentence, notes, figure, forest, winners, reliability, claims, next } = card;
  if (sentence === "") return null;
  const table = winnersTable(winners);
  const counts = claims === null ? "" : claimCountsText(claims);
  const beside = notes.length === 0
    ? null
    : markup` <span class="rest">${notes.map((note) => markup`<span>${note}</span> `)}</span>`;
  return markup`<div class="card"><div class="headline"><p class="lead">${sentence}${beside}</p>
${
    figure &&
    markup`<p class="headline-figure ${figure.certainty}"><strong>${figure.text}</strong> <span>${figure.interval}</span>
<small>${figure.label}</small></p>`
  }</div>
${forest && forestMarkup(forest, `${id}-forest`)}${
    table &&
    markup`<div class="winners">${
      tableMarkup(table, { id: `${id}-winners`, captioned: false })
    }</div>`
  }
<ul class="reliance">
${
    reliability &&
    markup`<li class="${reliability.light}">${reliability.sentence}</li>\n`
  }${counts && markup`<li class="counts"><a href="#${id}-claims">Claims: ${counts}</a></li>\n`}${
    next.map(({ text }) => markup`<li class="next">${withCode(text)}</li>\n`)
  }</ul></div>`;
}

/** Number of rows that fit on the first screen of a phone, with the current style sheet. */
const MOST_ON_PHONE = 5;

function moreMarkup(count: number, where: "off-phone" | "on-phone"): Markup | null {
  return count > 0 ? markup`<p class="note ${where}">${count} more below.</p>` : null;
}

/** Width of the plot in a row, in pixels. */
const PLOT_PX = 190;

function forestMarkup(forest: ConclusionForest, id: string): Markup | null {
  const { title, rows, omitted, margin } = forest;
  if (rows.length === 0) return null;
  const drawn = rows.map((row): Row => {
    const { low, high } = row;
    // A very wide interval is not drawn, because it would squeeze all others.
    const isDrawn = low !== null && high !== null && !isTooWide({ low, high });
    return {
      ...{ ...row, value: row.ratio, draw: "dot", runs: [], tone: toneOf(row, forest) },
      ...isDrawn ? { low, high } : { low: null, high: null },
    };
  });
  const ends = drawn.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])
    .filter((end) => end > 0 && end < Infinity);
  const chart: Rows = {
    kind: "rows",
    alt: title,
    axis: axisOver("×", [...ends, 1 / margin, margin], { logFrom: 0, room: 1.01 }),
    margin,
    rows: drawn,
  };
  return markup`<div class="small-forest"><p class="note">${title}</p>${
    rowsMarkup(chart, id, PLOT_PX)
  }${moreMarkup(omitted, "off-phone")}${
    moreMarkup(omitted + Math.max(0, rows.length - MOST_ON_PHONE), "on-phone")
  }</div>`;
}

/** Only decided comparisons are green or red. */
function toneOf(
  { ratio, certainty }: ConclusionRow,
  { better, margin }: ConclusionForest,
): Row["tone"] {
  if (certainty !== "decided") return "open";
  if (ratio < margin && ratio > 1 / margin) return "even";
  return (ratio > 1) === (better === "higher") ? "better" : "worse";
}
