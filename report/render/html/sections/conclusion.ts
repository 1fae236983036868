/**
 * The first screen: a verdict in one sentence, one large figure, a small forest or the winners at each setting, whether it
 * can be relied on, and what to do next; then every target at every setting as a matrix. No script is needed to see it.
 */
import { type CardModel, claimCountsText } from "../../../subjects/verdict/conclusion.ts";
import { type HeadlineFigure, winnersTable } from "../../../subjects/verdict/card.ts";
import type { ConclusionForest, ConclusionRow } from "../../../subjects/verdict/small_forest.ts";
import type { MatrixCell, MatrixModel } from "../../../subjects/verdict/matrix.ts";
import { formatRatio } from "../../../writing/ratios.ts";
import { listed, unique } from "../../../writing/words.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { type PagePlace, readingMarkup } from "../figures.ts";
import { swatchMarkup, tableMarkup, tableSwatch } from "./tables.ts";

/** @param id Of the experiment. */
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
      formatRatio(Number(ratio.toPrecision(2)), null)
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

const MATRIX =
  "Each cell is a target in a scenario, or at a value of a factor; below it stands its ratio to the best of its column. The greener, the nearer to the best; a dotted rim marks a difference that is likely, not proven, and slanted text one that is open. Rows come from the best on average. A press on a cell leads to its scenario.";

/** Null for one column: there the bars show the same. */
export function matrixMarkup(
  matrix: MatrixModel | null,
  scenarios: readonly { readonly name: string }[],
  { id }: PagePlace,
): Markup | null {
  if (!isShown(matrix)) return null;
  const linkOf = (scenario: string): string =>
    `#${id}-s${scenarios.findIndex(({ name }) => name === scenario) + 1}`;
  const tables = partsOf(matrix).map((part, i, { length }) =>
    partMarkup(part, linkOf, {
      id: `${id}-matrix-caption${i === 0 ? "" : `-${i + 1}`}`,
      of: length === 1 ? "" : `: ${listed(unique(part.columns.map(({ label }) => label)), "and")}`,
    })
  );
  return markup`<section id="${id}-matrix"><h2>Every result against the best</h2>
${tables}
${readingMarkup(MATRIX)}</section>`;
}

function partMarkup(
  { columns, rows }: MatrixModel,
  linkOf: (scenario: string) => string,
  caption: { readonly id: string; readonly of: string },
): Markup {
  const heads = columns.map(({ label, figure }) =>
    markup`<th scope="col" class="number">${label} <small>${
      figure === "rate" ? "requests/s" : "p99"
    }</small></th>`
  );
  const body = rows.map(({ label, color, cells }) =>
    markup`<tr><th scope=row><span>${tableSwatch(color)}${label}</span></th>${
      cells.map((cell, i) => cellMarkup(cell, linkOf(columns[i].scenario)))
    }</tr>\n`
  );
  return markup`<div class="scroll" role="group" aria-labelledby="${caption.id}" tabindex="0">
<table class="matrix"><caption id="${caption.id}" class="unseen">Every result against the best of its column${caption.of}</caption>
<thead><tr><th scope="col" class="name">Target</th>${heads}</tr></thead>
<tbody>${body}</tbody></table></div>\n`;
}

/** Columns that no row connects are tables of their own, as most of one table would be empty; single cells share one. */
function partsOf({ columns, rows }: MatrixModel): MatrixModel[] {
  const groups = rows.reduce((before: ReadonlySet<number>[], { cells }) => {
    const own = new Set(cells.flatMap((cell, i) => cell === null ? [] : [i]));
    const joined = before.filter((group) => [...own].some((i) => group.has(i)));
    const others = before.filter((group) => !joined.includes(group));
    return [...others, new Set([...own, ...joined.flatMap((group) => [...group])])];
  }, []);
  const rowsIn = (group: ReadonlySet<number>): MatrixModel["rows"] =>
    rows.filter(({ cells }) => cells.some((cell, i) => cell !== null && group.has(i)));
  const [singles, larger] = [true, false].map((isOne) =>
    groups.filter((group) => (group.size * rowsIn(group).length === 1) === isOne)
  );
  const parts = [...larger, new Set(singles.flatMap((group) => [...group]))]
    .filter(({ size }) => size > 0);
  const isIn = (group: ReadonlySet<number>) => (_: unknown, i: number): boolean => group.has(i);
  return parts.toSorted((a, b) => Math.min(...a) - Math.min(...b)).map((group) => ({
    columns: columns.filter(isIn(group)),
    rows: rowsIn(group).map((row) => ({ ...row, cells: row.cells.filter(isIn(group)) })),
  }));
}

export function isShown(matrix: MatrixModel | null): matrix is MatrixModel {
  return matrix !== null && matrix.columns.length > 1;
}

/** The more colour, the nearer to the best; the less of it, the less certain. */
function cellMarkup(cell: MatrixCell | null, link: string): Markup {
  if (cell === null) return markup`<td class="number">–</td>`;
  const { text, ratio, ratioText, certainty, shortfall, label } = cell;
  const below = shortfall !== ""
    ? markup`<small class="below alarming">${withoutName(shortfall, label)}</small>`
    : ratioText === ""
    ? null
    : markup`<small class="below">${ratioText}</small>`;
  return markup`<td class="number ${
    shadeOf(ratio, certainty)
  } ${certainty}" data-v="${cell.value}"><a href="${link}">${text}</a>${below}</td>`;
}

/** `79 % never sent`, `times out on 19 %`: whose it is stands beside the row. */
function withoutName(shortfall: string, name: string): string {
  return shortfall.replace(` of the requests to ${name} were`, "").replace(`${name} `, "");
}

/** Ratios to the best, either way; each step down is a paler shade. */
const STEPS = [1.05, 1.25, 1.6, 2.5, 5];

function shadeOf(ratio: number | null, certainty: MatrixCell["certainty"]): string {
  if (certainty === "best") return "near-0";
  if (ratio === null) return "";
  const distance = Math.max(ratio, 1 / ratio);
  const step = STEPS.findIndex((most) => distance <= most);
  return `near-${step === -1 ? STEPS.length : step}`;
}
