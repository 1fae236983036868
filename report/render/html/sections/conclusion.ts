/**
 * The first screen: a verdict in one sentence, one large figure, a small forest or the winners at each setting, whether it
 * can be relied on, and what to do next. No script is needed to see it.
 */
import { type CardModel, claimCountsText } from "../../../subjects/verdict/conclusion.ts";
import { type HeadlineFigure, winnersTable } from "../../../subjects/verdict/card.ts";
import type { ConclusionForest, ConclusionRow } from "../../../subjects/verdict/small_forest.ts";
import { formatRatio } from "../../../writing/ratios.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { swatchMarkup, tableMarkup } from "./tables.ts";

/** @param id Of its document. */
export function conclusionMarkup(card: CardModel, id: string): Markup | null {
  const { sentence, notes, figure, forest, winners, reliability, claims, next } = card;
  if (sentence === "") return null;
  const table = winnersTable(winners);
  const counts = claims === null ? "" : claimCountsText(claims);
  const beside = notes.length === 0
    ? null
    : markup` <span class="rest">${notes.map((note) => markup`<span>${note}</span> `)}</span>`;
  return markup`<div class="card"><div class="headline"><p class="lead">${sentence}${beside}</p>
${figure && figureMarkup(figure)}</div>
${forest && forestMarkup(forest)}${
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
    next.map(({ text }) => markup`<li class="next">${text}</li>\n`)
  }</ul></div>`;
}

function figureMarkup({ text, interval, label, certainty }: HeadlineFigure): Markup {
  return markup`<p class="headline-figure ${certainty}"><strong>${text}</strong> <span>${interval}</span>
<small>${label}</small></p>`;
}

/** Rows that a phone's first screen has room for, by the style sheet. */
const MOST_ON_PHONE = 5;

function moreMarkup(count: number, where: "off-phone" | "on-phone"): Markup | null {
  return count > 0 ? markup`<p class="note ${where}">${count} more below.</p>` : null;
}

// The forest is markup, not a canvas: it is there with the first paint, on paper and without scripts.

/** Of a row's plot; a narrow screen squeezes it. A dot is the round cap of a line, which stays round. */
const WIDTH_PX = 200;
const HEIGHT_PX = 16;
/** At its ends, so that no dot is cut. */
const INSET_PX = 14;

/** Where a ratio is on the axis of all rows. */
type PlaceOf = (ratio: number) => number;

function forestMarkup(forest: ConclusionForest): Markup | null {
  const { title, rows, omitted, margin } = forest;
  if (rows.length === 0) return null;
  const ends = rows.flatMap(({ ratio, low, high }) => [ratio, low ?? ratio, high ?? ratio]);
  const positive = ends.filter((end) => end > 0 && end < Infinity);
  const [least, most] = [Math.min(...positive, 1 / margin), Math.max(...positive, margin)];
  const span = Math.log(most / least) || 1;
  const placeOf: PlaceOf = (ratio) => {
    const share = Math.log(Math.min(most, Math.max(least, ratio)) / least) / span;
    return round(INSET_PX + share * (WIDTH_PX - 2 * INSET_PX));
  };
  const items = rows.map((row) =>
    markup`<li><span class="of">${swatchMarkup(row.color)}${row.label}</span>${
      plotMarkup(row, forest, placeOf)
    }<span class="ratio">${ratioMarkup(row)}</span> <span class="word ${
      toneOf(row, forest)
    }">${row.word}</span></li>\n`
  );
  return markup`<div class="small-forest"><p class="note">${title}</p><ul>${items}${
    axisMarkup([least, most], placeOf)
  }</ul>${moreMarkup(omitted, "off-phone")}${
    moreMarkup(omitted + Math.max(0, rows.length - MOST_ON_PHONE), "on-phone")
  }</div>`;
}

/** Its ends and 1×, which are left out where one would cover another. */
function axisMarkup(ends: readonly number[], placeOf: PlaceOf): Markup {
  const ticks = ends.filter((end) => Math.abs(placeOf(end) - placeOf(1)) > LABEL_PX);
  const labels = [1, ...ticks].map((ratio) =>
    markup`<text x="${placeOf(ratio)}" y="12" text-anchor="middle">${
      formatRatio(Number(ratio.toPrecision(3)), null)
    }</text>`
  );
  return markup`<li class="axis" aria-hidden="true"><span class="of"></span><svg viewBox="0 0 ${WIDTH_PX} ${HEIGHT_PX}">${labels}</svg><span class="ratio"></span><span class="word"></span></li>\n`;
}

const LABEL_PX = 28;

/** On a phone a long interval has a line of its own. */
function ratioMarkup({ text }: ConclusionRow): Markup {
  const parts = text.split(/(?=\[)/);
  return markup`${parts.map((part, i) => i === 0 ? part : markup`<wbr>${part}`)}`;
}

function plotMarkup(row: ConclusionRow, forest: ConclusionForest, placeOf: PlaceOf): Markup {
  const { ratio, low, high, certainty } = row;
  const middle = HEIGHT_PX / 2;
  const [from, one, to] = [1 / forest.margin, 1, forest.margin].map(placeOf);
  const at = placeOf(ratio);
  const line = low === null || high === null
    ? null
    : markup`<path d="M${placeOf(low)} ${middle}H${placeOf(high)}" />`;
  return markup`<svg class="${
    toneOf(row, forest)
  } ${certainty}" viewBox="0 0 ${WIDTH_PX} ${HEIGHT_PX}" preserveAspectRatio="none" aria-hidden="true"><rect x="${from}" width="${
    Math.max(2, round(to - from))
  }" y="0" height="${HEIGHT_PX}" /><path class="one" d="M${one} 0V${HEIGHT_PX}" />${line}<path class="dot" d="M${at} ${middle}h0" /><path class="hole" d="M${at} ${middle}h0" /></svg>`;
}

/** Green and red belong to what is decided. */
function toneOf({ ratio, certainty }: ConclusionRow, { better, margin }: ConclusionForest): string {
  const isAlike = ratio < margin && ratio > 1 / margin;
  if (certainty !== "decided" || isAlike) return "even";
  return (ratio > 1) === (better === "higher") ? "better" : "worse";
}

function round(px: number): number {
  return Number(px.toFixed(1));
}
