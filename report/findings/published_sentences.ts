/** What published figures beside measured ones show: one sentence a finding, from what was judged. */
import type { Published } from "../../runner/result/result.ts";
import type { Range } from "../figures/range.ts";
import { figureRangeText } from "../writing/figure_text.ts";
import { nameOf as placeOf } from "../cells/match.ts";
import {
  isBase,
  type JudgedTable,
  type MatchedRow,
  type PublishedOrder,
  type RowPair,
} from "../judge/published.ts";
import { formatRatio, percentText } from "../writing/ratios.ts";
import { FAR_RATIO } from "../judge/rules.ts";
import { median } from "../writing/spread.ts";
import { GLUE } from "../writing/units.ts";
import { counted } from "../writing/words.ts";

const MARGIN = percentText(FAR_RATIO - 1);

export const FAR_RULE =
  `A difference matters, and is marked, where the whole 95 % interval of the measured figure lies more than ${MARGIN} from the published one (above ${FAR_RATIO} × or below ${
    1 / FAR_RATIO
  } ×); with a single run, where the figure itself does. Whatever is surely not 0 is that far from 0.`;

/** `static, express`; without the scenario where there is one only. */
export function rowName({ cell }: MatchedRow, rows: readonly MatchedRow[]): string {
  return rows.some((row) => row.cell.scenario !== cell.scenario) ? placeOf(cell) : cell.label;
}

/** How alike the order and the figures are. */
export function publishedFinding(
  { table, rows, exact, far, orders, isRelative }: JudgedTable,
): string {
  const relative = isRelative ? table.relative : null;
  return [orderSentence(orders), farSentence(rows, far), middleSentence(exact, relative)]
    .filter(Boolean).join(" ");
}

/** Of rho: from here on the order is called what stands behind. */
const LIKENESS: readonly (readonly [number, string])[] = [
  [1 - 1e-9, "as published"],
  [0.9, "nearly as published"],
  [0.7, "much as published"],
  [0.4, "only partly as published"],
  [-0.4, "not the published one"],
  [-Infinity, "rather the reverse of the published one"],
];

/** Of fewer cells a correlation is chance: of four, one order in 24 is as published. */
const FEWEST_DECISIVE = 5;

export function isDecisive({ cells }: PublishedOrder): boolean {
  return cells >= FEWEST_DECISIVE;
}

const MOST_SWAPS = 3;

/** "" for fewer than two cells. */
function orderSentence([whole, ...within]: readonly PublishedOrder[]): string {
  const { cells, rho, swaps } = whole;
  if (cells < 2) return "";
  if (Number.isNaN(rho)) return "There is no order to compare: one column holds one value only.";
  const like = LIKENESS.find(([least]) => rho >= least)?.[1];
  const order = isDecisive(whole)
    ? `The order is ${like}: rank correlation ${correlationText(rho)} over ${
      counted(cells, "cell")
    }${withinText(within)}`
    : `The order of the ${cells} cells is ${like}`;
  return swaps.length === 0 ? `${order}.` : `${order}; ${swapsText(swaps, within.length > 0)}.`;
}

/** In two digits; 1 only where it is. */
export function correlationText(rho: number): string {
  return Math.abs(rho) >= 1 - 1e-9
    ? String(Math.round(rho))
    : Math.min(0.99, Math.max(-0.99, rho)).toFixed(2);
}

function withinText(within: readonly PublishedOrder[]): string {
  const sorted = within.filter((order) => isDecisive(order) && !Number.isNaN(order.rho))
    .sort((a, b) => a.rho - b.rho);
  if (sorted.length < 2) return "";
  const [least, most] = [sorted[0], sorted[sorted.length - 1]]
    .map(({ rho, scenario }) => ({ text: correlationText(rho), scenario }));
  return least.text === most.text
    ? `, ${least.text} within each scenario`
    : `, within scenarios from ${least.text} (${least.scenario}) to ${most.text} (${most.scenario})`;
}

/** All of few; of many how many, and the two that are farthest apart. */
function swapsText(swaps: readonly RowPair[], isOfSeveral: boolean): string {
  const named = swaps.map(([one, other]) => ({
    pair: `${one.cell.label} and ${other.cell.label}`,
    place: isOfSeveral ? ` in ${one.cell.scenario}` : "",
  }));
  if (named.length <= MOST_SWAPS) {
    return named.map(({ pair, place }) => `${pair} change places${place}`).join(", ");
  }
  const [{ pair, place }] = named;
  return `${counted(named.length, "pair")} change places, the farthest apart ${pair}${place}`;
}

/** `a and b; c and d; 3 more`. */
export function swapsList(swaps: readonly RowPair[]): string {
  const named = swaps.slice(0, MOST_SWAPS)
    .map(([one, other]) => `${one.cell.label} and ${other.cell.label}`);
  const more = swaps.length - named.length;
  return [...named, ...more === 0 ? [] : [`${more} more`]].join("; ") || "none";
}

/** How many matter, and the farthest. */
function farSentence(rows: readonly MatchedRow[], far: readonly MatchedRow[]): string {
  const compared = rows.filter((row) => !isBase(row)).length;
  if (compared === 0) return "";
  const [farthest] = far;
  if (farthest === undefined) {
    return `No figure is surely more than ${MARGIN} from the published one.`;
  }
  const [verb, ones] = far.length === 1 ? ["is", "one"] : ["are", "ones"];
  return `${far.length} of ${counted(compared, "figure")} ${verb} surely more than ${MARGIN} ` +
    `from the published ${ones}, the farthest ${rowName(farthest, rows)} at ${
      quotientText(farthest)
    }.`;
}

const FEWEST_FOR_MIDDLE = 3;

/** Where the figures lie as a whole: of all there is one reason, of the machine or of what all are divided by. */
function middleSentence(rows: readonly MatchedRow[], relative: string | null): string {
  const quotients = rows.flatMap(({ quotient }) => quotient === null ? [] : [quotient.value]);
  if (quotients.length < FEWEST_FOR_MIDDLE) return "";
  const middle = median(quotients);
  if (middle === 0 || !Number.isFinite(middle)) return "";
  const text = `Half of all figures lie above ${
    formatRatio(middle, null)
  } the published ones, half below`;
  if (relative === null) return `${text}.`;
  return rows.filter(({ isFar }) => isFar).length >= quotients.length / 2
    ? `${text}: perhaps it is ${relative} that differs, by which all are divided.`
    : "";
}

/** `static, gin: measured 1.20× [1.15, 1.25] where 2.31× was published, 0.52× [0.50, 0.54] as much.` */
export function differenceSentence(
  row: MatchedRow,
  { table: { unit }, rows }: JudgedTable,
): string {
  const { base, ofPublished, ofMeasured, measured } = row;
  const text = (range: Range): string => figureText(range, base === null ? unit : null);
  return `${rowName(row, rows)}: measured ${measured.isAtLeast ? "≥ " : ""}${
    text(ofMeasured)
  } where ${boundMark(row)}${text({ value: ofPublished, interval: null })} was published, ${
    quotientText(row)
  } as much.`;
}

/** @param unit Null: multiples of what all are divided by. */
export function figureText(range: Range, unit: Published["unit"] | null): string {
  return unit === null ? formatRatio(range.value, range.interval) : figureRangeText(range, unit);
}

export function quotientText({ quotient }: MatchedRow): string {
  return quotient === null ? "–" : formatRatio(quotient.value, quotient.interval);
}

/** `< `, `> ` or `~ ` before a published figure that is a bound, or about that; "" otherwise. */
export function boundMark({ bound }: Pick<MatchedRow, "bound">): string {
  return bound === null ? "" : `${bound}${GLUE}`;
}

/** What was divided by, with what it is here and there: the machines' part, as far as one cell shows it. */
export function relativeNote({ table: { relative, unit }, rows, isRelative }: JudgedTable): string {
  if (relative === null) {
    return "Nothing is divided out: a faster or slower machine alone moves every figure.";
  }
  if (!isRelative) {
    return `Nothing could be divided by ${relative}, which is 0 or not measured for some row: a faster or slower machine alone moves every figure.`;
  }
  const [base, ...others] = new Set(rows.map((row) => row.base));
  if (!base || others.length > 0) return `Relative figures are divided by those of ${relative}.`;
  const { published, measured } = base;
  return `Relative figures are divided by those of ${relative} itself: ${
    figureRangeText({ value: published, interval: null }, unit)
  } published, ${figureRangeText(measured, unit)} here (${
    formatRatio(measured.value / published, null)
  }).`;
}

const MOST_NAMED = 8;

/** What is not in the table, and why; "" when all is. */
export function missingSentence({ missing }: JudgedTable): string {
  if (missing.length === 0) return "";
  const groups = [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, cells]) => {
    const named = cells.slice(0, MOST_NAMED).map(({ of }) => of);
    const more = cells.length - named.length;
    return `${[...named, ...more === 0 ? [] : [`${more} more`]].join("; ")} (${reason})`;
  });
  return `Published, and not compared: ${groups.join("; ")}.`;
}
