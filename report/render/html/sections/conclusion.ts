/**
 * The first screen of an experiment: its question, the sentence that decides it, one large figure, a small forest,
 * whether it can be relied on, and what to do next; then every target at every setting as a matrix. No script is
 * needed to see it.
 */
import type { CardModel } from "../../../subjects/compared_conclusion.ts";
import { claimCountsText, type ConclusionModel } from "../../../subjects/verdict/conclusion.ts";
import type { HeadlineFigure } from "../../../subjects/verdict/headline.ts";
import type {
  ConclusionForest,
  ConclusionRow,
  MatrixCell,
  MatrixModel,
} from "../../../subjects/verdict/matrix.ts";
import type { ScenarioModel } from "../../../model.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import { sum } from "../../../writing/spread.ts";
import { listed, unique } from "../../../writing/words.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { howToReadMarkup, type PagePlace } from "./figures.ts";
import { swatchMarkup, tableSwatch } from "./tables.ts";

/** A comparison has no question of its own. */
type TitledCard = CardModel & Partial<Pick<ConclusionModel, "question">>;

/** @param id Of the experiment. */
export function conclusionMarkup(conclusion: TitledCard, id: string): Markup | null {
  const { sentence, figure, forest, reliability, claims, next } = conclusion;
  if (sentence === "") return null;
  const counts = claims === null ? "" : claimCountsText(claims);
  return markup`<div class="card"><div class="headline">${leadMarkup(sentence)}
${figure && figureMarkup(figure)}</div>
${forest && forestMarkup(forest, rowsOnPhone(conclusion, forest))}
<ul class="reliance">
${
    reliability &&
    markup`<li class="${reliability.light}">${reliability.sentence}</li>\n`
  }${counts && markup`<li class="counts"><a href="#${id}-claims">Claims: ${counts}</a></li>\n`}${
    next.map(({ text }) => markup`<li class="next">${text}</li>\n`)
  }</ul></div>`;
}

/** What follows the first sentence is smaller: the verdict comes first. */
function leadMarkup(sentence: string): Markup {
  const [first, ...rest] = sentencesOf(sentence);
  if (rest.length === 0) return markup`<p class="lead">${first}</p>`;
  const others = rest.map((text) => markup`<span>${text}</span> `);
  return markup`<p class="lead">${first} <span class="rest">${others}</span></p>`;
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=\.) /);
}

function figureMarkup({ text, interval, label, certainty }: HeadlineFigure): Markup {
  return markup`<p class="headline-figure ${certainty}"><strong>${text}</strong> <span>${interval}</span>
<small>${label}</small></p>`;
}

// The forest is markup, not a canvas: it is there with the first paint, on paper and without scripts.

/** Of a row's plot; a narrow screen squeezes it. A dot is the round cap of a line, which stays round. */
const WIDTH_PX = 200;
const HEIGHT_PX = 16;
/** At its ends, so that no dot is cut. */
const INSET_PX = 14;

function forestMarkup(forest: ConclusionForest, onPhone: number): Markup | null {
  const { title, rows, omitted, margin } = forest;
  if (rows.length === 0) return null;
  const ends = rows.flatMap(({ ratio, low, high }) => [ratio, low ?? ratio, high ?? ratio]);
  const positive = ends.filter((end) => end > 0 && end < Infinity);
  const [least, most] = [Math.min(...positive, 1 / margin), Math.max(...positive, margin)];
  const span = Math.log(most / least) || 1;
  const placeOf = (ratio: number): number => {
    const share = Math.log(Math.min(most, Math.max(least, ratio)) / least) / span;
    return round(INSET_PX + share * (WIDTH_PX - 2 * INSET_PX));
  };
  const items = rows.map((row, i) =>
    markup`<li${i < onPhone ? null : markup` class="off-phone"`}><span class="of">${
      swatchMarkup(row.color)
    }${row.label}</span>${plotMarkup(row, forest, placeOf)}<span class="ratio">${
      ratioMarkup(row.text)
    }</span> <span class="word ${toneOf(row, forest)}">${row.word}</span></li>\n`
  );
  return markup`<div class="small-forest${
    onPhone > 0 ? "" : " off-phone"
  }"><p class="note">${title}</p><ul>${items}</ul>${
    restMarkup(omitted, omitted + Math.max(0, rows.length - onPhone))
  }</div>`;
}

/** @param all Rows that are not here on a wide screen, and on a phone. */
function restMarkup(...all: readonly [wide: number, onPhone: number]): Markup {
  const [wide, onPhone] = ["off-phone", "on-phone"].map((kind, i) =>
    all[i] === 0 ? null : markup`<p class="note ${kind}">${all[i]} more below.</p>`
  );
  return markup`${wide}${onPhone}`;
}

const MOST_ON_PHONE = 5;
/** Of a phone's first screen: what the title, lines above the forest and its rows have to share. */
const PHONE_PX = 559;
/** A line on a phone, by what it is of. */
const LINES = {
  title: { chars: 27, px: 26 },
  lead: { chars: 28, px: 23 },
  rest: { chars: 34, px: 21 },
  reliance: { chars: 31, px: 25 },
  row: { chars: 22, px: 20 },
} as const;

/** Of four lines. */
const LONGEST_TITLE = "-".repeat(4 * LINES.title.chars);

/** As many as a phone's first screen has room for below the rest of the card. */
function rowsOnPhone(
  { question = LONGEST_TITLE, sentence, reliability, claims, next }: TitledCard,
  { rows }: ConclusionForest,
): number {
  const [first, ...rest] = sentencesOf(sentence);
  const reliance = [reliability?.sentence ?? "", ...next.map(({ text }) => text)];
  let left = PHONE_PX - heightOf("title", question) - heightOf("lead", first) -
    heightOf("rest", rest.join(" ")) -
    sum(reliance, (text) => heightOf("reliance", text)) - (claims === null ? 0 : LINES.reliance.px);
  return rows.slice(0, MOST_ON_PHONE).filter(({ label }) => {
    left -= heightOf("row", label);
    return left >= 0;
  }).length;
}

function heightOf(kind: keyof typeof LINES, { length }: string): number {
  const { chars, px } = LINES[kind];
  return Math.ceil(length / chars) * px;
}

/** `0.77× [0.44, 1.35]`: on a phone a long interval has a line of its own. */
function ratioMarkup(text: string): Markup {
  const at = text.indexOf("[");
  return at < 0 ? markup`${text}` : markup`${text.slice(0, at)}<wbr>${text.slice(at)}`;
}

function plotMarkup(
  row: ConclusionRow,
  forest: ConclusionForest,
  placeOf: (ratio: number) => number,
): Markup {
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

/** Null for one column: there the bars show the same. */
export function matrixMarkup(
  matrix: MatrixModel | null,
  scenarios: readonly ScenarioModel[],
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
${howToReadMarkup(HOW_TO_READ.matrix)}</section>`;
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
