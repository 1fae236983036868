/** What a comparison of published figures with measured ones shows, one sentence for each finding. */
import { nameOf } from "../cells/match.ts";
import type { Range } from "../figures/range.ts";
import {
  isBase,
  type JudgedTable,
  type MatchedRow,
  type PublishedOrder,
} from "../judge/published.ts";
import { FAR_RATIO } from "../judge/rules.ts";
import { figureRangeText } from "../writing/figure_text.ts";
import { formatRatio, percentText } from "../writing/ratios.ts";
import { boundText, GLUE } from "../writing/units.ts";
import { counted } from "../writing/words.ts";

const MARGIN = percentText(FAR_RATIO - 1);

export const FAR_RULE =
  `A difference matters, and is marked, if the whole 95 % interval of the measured figure lies more than ${MARGIN} from the published one (above ${FAR_RATIO} × or below ${
    1 / FAR_RATIO
  } ×); with a single run, if the figure itself does. A figure that is certainly not 0 counts as that far from a published 0.`;

/** Name of a row's cell, such as `static, express`. The scenario is left out if all rows have the same one. */
function rowName({ cell }: MatchedRow, rows: readonly MatchedRow[]): string {
  return rows.some((row) => row.cell.scenario !== cell.scenario) ? nameOf(cell) : cell.label;
}

/** How similar the measured order and figures are to the published ones. */
export function publishedFinding({ rows, far, orders }: JudgedTable): string {
  return [orderSentence(orders), farSentence(rows, far)].filter(Boolean).join(" ");
}

/**
 * The fewest cells for which a correlation is stated. With fewer, it may be chance: there are only 24 orders of four
 * cells, so one in 24 random orders is the published one.
 */
const FEWEST_CORRELATED = 5;
/** From this correlation on, two orders count as equal; it allows for rounding errors. */
const EQUAL = 1 - 1e-9;

/** How similar the measured order is to the published one; "" if there are fewer than two cells. */
function orderSentence([{ cells, rho }, ...within]: readonly PublishedOrder[]): string {
  if (cells < 2) return "";
  if (Number.isNaN(rho)) {
    return "The order cannot be compared: in one column, all cells have the same value.";
  }
  if (cells < FEWEST_CORRELATED) {
    return `The order of the ${cells} cells is ${rho >= EQUAL ? "" : "not "}the published one.`;
  }
  const parts = within.filter((one) => one.cells >= FEWEST_CORRELATED && !Number.isNaN(one.rho))
    .map(({ scenario, rho }) => `${scenario} ${correlationText(rho)}`);
  return `Rank correlation with the published order: ${correlationText(rho)} over ${cells} cells${
    parts.length === 0 ? "" : ` (${parts.join(", ")})`
  }.`;
}

/** A correlation with two digits. It is shown as 1 or −1 only if it is exactly that. */
function correlationText(rho: number): string {
  return Math.abs(rho) >= EQUAL
    ? String(Math.round(rho))
    : Math.min(0.99, Math.max(-0.99, rho)).toFixed(2);
}

/** How many figures differ substantially from the published ones, and which of them differs most. */
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

/** For example `static, gin: measured 1.20× [1.15, 1.25] where 2.31× was published, 0.52× [0.50, 0.54] as much.` */
export function differenceSentence(
  row: MatchedRow,
  { table: { unit }, rows }: JudgedTable,
): string {
  const { ofPublished, ofMeasured, measured } = row;
  const text = (range: Range): string =>
    row.base === null ? figureRangeText(range, unit) : formatRatio(range.value, range.interval);
  const here = boundText(text(ofMeasured), measured.isAtLeast);
  const there = boundMark(row) + text({ value: ofPublished, interval: null });
  return `${rowName(row, rows)}: measured ${here} where ${there} was published, ${
    quotientText(row)
  } as much.`;
}

function quotientText({ quotient }: MatchedRow): string {
  return quotient === null ? "–" : formatRatio(quotient.value, quotient.interval);
}

/** The mark before a published figure that is a bound (`< `, `> `) or an approximation (`~ `); "" for other figures. */
export function boundMark({ bound }: Pick<MatchedRow, "bound">): string {
  return bound === null ? "" : `${bound}${GLUE}`;
}

/**
 * Says by which target's figures all others are divided, or why they are not divided. Figures that are not relative to
 * a base also show the difference between the machines.
 */
export function relativeNote({ table: { relative }, isRelative }: JudgedTable): string {
  if (isRelative) return `Relative figures are divided by those of ${relative}.`;
  const nothing = relative === null
    ? "The figures are not relative to a base"
    : `The figures are not divided by those of ${relative} (for at least one row, that figure ` +
      "is 0, missing, ambiguous or published only as a limit)";
  return `${nothing}, so a faster or slower machine by itself moves every figure.`;
}

const MOST_NAMED = 8;

/** The published figures that could not be compared, grouped by the reason; "" if there are none. */
export function missingSentence({ missing }: JudgedTable): string {
  if (missing.length === 0) return "";
  const groups = [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, cells]) => {
    const more = cells.length - MOST_NAMED;
    const named = cells.slice(0, MOST_NAMED).map(({ of }) => of).join("; ");
    return `${named}${more > 0 ? `; ${more} more` : ""} (${reason})`;
  });
  return `Published, but not compared: ${groups.join("; ")}.`;
}
