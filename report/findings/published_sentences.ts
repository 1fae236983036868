/** What a comparison of published figures with measured ones shows: one sentence for each finding. */
import type { Published } from "../../runner/result/result.ts";
import { nameOf } from "../cells/match.ts";
import type { Range } from "../figures/range.ts";
import {
  isBase,
  type JudgedTable,
  type MatchedRow,
  type PublishedOrder,
  type RowPair,
} from "../judge/published.ts";
import { FAR_RATIO } from "../judge/rules.ts";
import { figureRangeText } from "../writing/figure_text.ts";
import { formatRatio, percentText } from "../writing/ratios.ts";
import { median } from "../writing/spread.ts";
import { boundText, GLUE } from "../writing/units.ts";
import { counted, listedSome } from "../writing/words.ts";

const MARGIN = percentText(FAR_RATIO - 1);

export const FAR_RULE =
  `A difference matters, and is marked, if the whole 95 % interval of the measured figure lies more than ${MARGIN} from the published one (above ${FAR_RATIO} × or below ${
    1 / FAR_RATIO
  } ×); with a single run, if the figure itself does. A figure that is certainly not 0 counts as that far from a published 0.`;

/** `static, express`; without the scenario if there is only one. */
export function rowName({ cell }: MatchedRow, rows: readonly MatchedRow[]): string {
  return rows.some((row) => row.cell.scenario !== cell.scenario) ? nameOf(cell) : cell.label;
}

/** How similar the order and the figures are. */
export function publishedFinding({ rows, exact, far, orders, isRelative }: JudgedTable): string {
  return [orderSentence(orders), farSentence(rows, far), isRelative ? "" : middleSentence(exact)]
    .filter(Boolean).join(" ");
}

/** The words for a rank correlation, from this rho on. */
const LIKENESS: readonly (readonly [number, string])[] = [
  [1 - 1e-9, "as published"],
  [0.9, "nearly as published"],
  [0.7, "much as published"],
  [0.4, "only partly as published"],
  [-0.4, "not the published one"],
  [-Infinity, "rather the reverse of the published one"],
];

/** With fewer cells, a correlation may be chance: of four cells, one order in 24 is the published one. */
const FEWEST_DECISIVE = 5;

export function isDecisive({ cells }: PublishedOrder): boolean {
  return cells >= FEWEST_DECISIVE;
}

/** "" for fewer than two cells. */
function orderSentence([order, ...within]: readonly PublishedOrder[]): string {
  const { cells, rho, swaps } = order;
  if (cells < 2) return "";
  if (Number.isNaN(rho)) return "There is no order to compare: one column holds only one value.";
  const like = LIKENESS.find(([least]) => rho >= least)?.[1];
  const correlation = isDecisive(order) ? `: rank correlation ${correlationText(rho)}` : "";
  const swapped = swaps.length === 0
    ? ""
    : `; ${swapsText(swaps, within.length > 0)} change places`;
  return `The order of the ${cells} cells is ${like}${correlation}${swapped}.`;
}

/** A correlation with two digits; 1 only if it is exactly 1. */
export function correlationText(rho: number): string {
  return Math.abs(rho) >= 1 - 1e-9
    ? String(Math.round(rho))
    : Math.min(0.99, Math.max(-0.99, rho)).toFixed(2);
}

/** `a and b`, `a with b, c with d and 3 others`: the farthest apart first. @param isPlaced Whether each has its scenario behind it. */
export function swapsText(swaps: readonly RowPair[], isPlaced: boolean): string {
  const joint = swaps.length === 1 ? "and" : "with";
  const pairs = swaps.map(([{ cell }, other]) =>
    `${cell.label} ${joint} ${other.cell.label}${isPlaced ? ` (${cell.scenario})` : ""}`
  );
  return listedSome(pairs, "and");
}

/** How many differences matter, and the largest. */
function farSentence(rows: readonly MatchedRow[], far: readonly MatchedRow[]): string {
  const compared = rows.filter((row) => !isBase(row)).length;
  if (compared === 0) return "";
  const [farthest] = far;
  if (farthest === undefined) {
    return `No figure is certainly more than ${MARGIN} from the published one.`;
  }
  const [verb, ones] = far.length === 1 ? ["is", "one"] : ["are", "ones"];
  return `${far.length} of ${counted(compared, "figure")} ${verb} certainly more than ${MARGIN} ` +
    `from the published ${ones}, the farthest ${rowName(farthest, rows)} at ${
      quotientText(farthest)
    }.`;
}

const FEWEST_FOR_MIDDLE = 3;

/** How the figures compare overall, which shows the difference between the machines unless that is divided out. */
function middleSentence(rows: readonly MatchedRow[]): string {
  const quotients = rows.flatMap(({ quotient }) => quotient === null ? [] : [quotient.value]);
  const middle = median(quotients);
  return quotients.length < FEWEST_FOR_MIDDLE || middle === 0 || !Number.isFinite(middle)
    ? ""
    : `Half of all figures lie above ${formatRatio(middle, null)} the published ones, half below.`;
}

/** `static, gin: measured 1.20× [1.15, 1.25] where 2.31× was published, 0.52× [0.50, 0.54] as much.` */
export function differenceSentence(
  row: MatchedRow,
  { table: { unit }, rows }: JudgedTable,
): string {
  const { published, measured } = figureTexts(row, row.base === null ? unit : null);
  return `${rowName(row, rows)}: measured ${measured} where ${published} was published, ${
    quotientText(row)
  } as much.`;
}

/** Both figures in the form in which they are compared. @param unit Null: multiples of a common base. */
export function figureTexts(
  { ofPublished, ofMeasured, measured, bound }: MatchedRow,
  unit: Published["unit"] | null,
): Record<"published" | "measured", string> {
  const text = (range: Range): string =>
    unit === null ? formatRatio(range.value, range.interval) : figureRangeText(range, unit);
  return {
    published: boundMark({ bound }) + text({ value: ofPublished, interval: null }),
    measured: boundText(text(ofMeasured), measured.isAtLeast),
  };
}

export function quotientText({ quotient }: MatchedRow): string {
  return quotient === null ? "–" : formatRatio(quotient.value, quotient.interval);
}

/** `< `, `> ` or `~ ` before a published figure that is a bound or an approximation; otherwise "". */
export function boundMark({ bound }: Pick<MatchedRow, "bound">): string {
  return bound === null ? "" : `${bound}${GLUE}`;
}

/**
 * A note on the base by which figures are divided: the table has its value here and as published, which shows the
 * difference of the machines.
 */
export function relativeNote({ table: { relative }, isRelative }: JudgedTable): string {
  if (isRelative) return `Relative figures are divided by those of ${relative}.`;
  const nothing = relative === null
    ? "Nothing is divided out"
    : `Nothing could be divided by ${relative}, which is 0 or not measured for some row`;
  return `${nothing}: a faster or slower machine by itself moves every figure.`;
}

const MOST_NAMED = 8;

/** Published figures that are missing from the table, and why; "" if there are none. */
export function missingSentence({ missing }: JudgedTable): string {
  if (missing.length === 0) return "";
  const groups = [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, cells]) => {
    const more = cells.length - MOST_NAMED;
    const named = cells.slice(0, MOST_NAMED).map(({ of }) => of).join("; ");
    return `${named}${more > 0 ? `; ${more} more` : ""} (${reason})`;
  });
  return `Published, but not compared: ${groups.join("; ")}.`;
}
