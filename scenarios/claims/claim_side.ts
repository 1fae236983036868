/**
 * Parses one side of a claim: a figure of some cells (each a target in a scenario) times a factor, a ceiling (the
 * measured peak of the load generator or of Redis), or a quantity. Pure.
 */
import { type ClaimSide, type FigureSide, MEASURED_PEAKS, SIGN } from "./claim.ts";
import {
  type Figure,
  figureNamed,
  type FigureUnit,
  type Read,
  readFigure,
  readQuantity,
} from "../../base/figures/figure.ts";
import { parseSelector } from "../../base/figures/selector.ts";
import { didYouMean } from "../../base/suggest.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** The parsed value, or all problems of the text. */
export type ReadAll<T> = { readonly value: T } | { readonly problems: readonly string[] };

/**
 * A regular expression for the text within a figure's parentheses. Further parentheses are allowed only within quotes.
 */
export const INNER = String.raw`(?:"[^"]*"|[^()"])*`;

/** A regular expression for one side of a comparison. A selector in parentheses may itself contain comparison signs. */
export const SIDE = String.raw`[^()<>=≤≥]*(?:\(${INNER}\)[^()<>=≤≥]*)?`;

/** Matches two sides with a comparison sign between them. */
export const TWO_SIDES = new RegExp(`^(${SIDE})(${SIGN})(${SIDE})$`);

const FIGURE = new RegExp(`^(?:(\\S+?) ?[×*] ?|(\\d[\\d.]*) ?x )?([\\w.]+) ?\\((${INNER})\\)$`);

/** Parses both sides of a comparison. A quantity has the unit of the figure with which it is compared. */
export function sidesOf(of: string, to: string): ReadAll<[ClaimSide, ClaimSide]> {
  const [left, right] = [of.trim(), to.trim()];
  const [first, second] = [measuredOf(left), measuredOf(right)];
  if (first === null && second === null) {
    return { problems: [bare(left) ?? bare(right) ?? NO_FIGURE] };
  }
  const sides = [
    first ?? quantityOf(left, second),
    second ?? quantityOf(right, first),
  ];
  const known = sides.flatMap((side) => "value" in side ? [side.value] : []);
  if (known.length < 2) return problemsIn(...sides);
  const [one, other] = known.map(unitOf);
  if (one !== null && other !== null && one !== other) {
    return { problems: [`Cannot compare ${left} with ${right}: their units differ`] };
  }
  return { value: [known[0], known[1]] };
}

const NO_FIGURE = "Cannot compare two numbers: at least one side must be a figure, " +
  "such as p99(cached) < 120ms";

/**
 * The figure or ceiling in a text, or the problems with a text that has parentheses but is neither. Null for any other
 * text, which should be a quantity.
 */
function measuredOf(text: string): ReadAll<ClaimSide> | null {
  const [, times, timesX, name, cells] = FIGURE.exec(text) ?? [];
  if (name === undefined) {
    if (!text.includes("(")) return null;
    const fix = "write a figure and its cells, such as p99(fastify, static), " +
      "or 2 × rate(express)";
    return { problems: [`Cannot read ${quotedOpenly(text)} as a side of a claim: ${fix}`] };
  }
  const factor = factorOf(times ?? timesX ?? "1");
  if (name === "ceiling") return peakOf(cells.trim(), factor);
  const figure = readFigure(name);
  const selector = readCells(cells);
  if (!("value" in factor) || !("value" in figure) || !("value" in selector)) {
    return problemsIn(factor, figure, selector);
  }
  return { value: figureSide(figure.value, factor.value, selector.value) };
}

function figureSide(
  { name, unit }: Figure,
  factor: number,
  selector: FigureSide["selector"],
): FigureSide {
  return { kind: "figure", factor, figure: name, unit, selector };
}

function factorOf(text: string): Read<number> {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return { value: Number(text) };
  return {
    problem: `Cannot read ${
      quotedOpenly(text)
    } as a factor: write a number, such as 2 × rate(express)`,
  };
}

function peakOf(name: string, factor: Read<number>): ReadAll<ClaimSide> {
  const of = MEASURED_PEAKS.find((ceiling) => ceiling === name);
  if (of !== undefined && "value" in factor) {
    return { value: { kind: "ceiling", factor: factor.value, of } };
  }
  const fix = didYouMean(name, MEASURED_PEAKS) ??
    `the ceilings are ${MEASURED_PEAKS.join(" and ")}`;
  const ceiling = of === undefined
    ? [{ problem: `Cannot find the ceiling ${quotedOpenly(name)}: ${fix}` }]
    : [];
  return problemsIn(factor, ...ceiling);
}

function quantityOf(text: string, against: ReadAll<ClaimSide> | null): ReadAll<ClaimSide> {
  const hint = bare(text);
  if (hint !== null) return { problems: [hint] };
  // If the figure on the other side is invalid, the quantity's unit is unknown. No problem is added
  // here, because the invalid figure is reported already.
  const unit = against !== null && "value" in against ? unitOf(against.value) : null;
  if (unit === null) return { problems: [] };
  const read = readQuantity(text, unit);
  return "value" in read
    ? { value: { kind: "quantity", text, value: read.value } }
    : problemsIn(read);
}

/** The message for a figure without its cells; null if the text is not the name of a figure. */
function bare(text: string): string | null {
  if (figureNamed(text) === null) return null;
  return `Cannot use ${text} without its cells: write ${text}(fastify, static), ` +
    `or ${text}() for all cells`;
}

function unitOf(side: ClaimSide): FigureUnit | null {
  if (side.kind === "quantity") return null;
  return side.kind === "ceiling" ? "perSec" : side.unit;
}

/** Parses a selector into the form that results.json has. */
export function readCells(text: string): Read<FigureSide["selector"]> {
  const read = parseSelector(text);
  return "problem" in read
    ? read
    : { value: { text: read.value.text, parts: [...read.value.parts] } };
}

/** All problems in the given results. */
export function problemsIn(...found: readonly (Read<unknown> | ReadAll<unknown>)[]): {
  readonly problems: readonly string[];
} {
  return {
    problems: found.flatMap((one) =>
      "problem" in one ? [one.problem] : "problems" in one ? one.problems : []
    ),
  };
}
