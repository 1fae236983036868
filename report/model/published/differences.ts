/** Which measured figures are far from the published ones, by a rule that the report states. */
import { formatRatio, percentText } from "../comparison/ratios.ts";
import { figureRangeText, type Range } from "../runs/figure_range.ts";
import { median } from "../numbers/spread.ts";
import { counted } from "../numbers/words.ts";
import type { Published } from "../../../runner/result/result.ts";
import { isBase, type MatchedRow } from "./rows.ts";

/**
 * Farther than this is called a difference that matters. A quarter is more than most changes of compiler,
 * kernel and patch version make, and less than what a reader would choose one server over another for.
 */
export const FAR_RATIO = 1.25;

export const RULE =
  `A difference matters, and is marked, where the whole 95 % interval of the measured figure lies more than ${
    percentText(FAR_RATIO - 1)
  } from the published one (above ${FAR_RATIO} × or below ${
    1 / FAR_RATIO
  } ×); with a single run, where the figure itself does. Whatever is surely not 0 is that far from 0.`;

/** Far, and surely so; a lower bound can only be too high. */
export function isFar(row: MatchedRow): boolean {
  const { quotient, measured, base } = row;
  if (quotient === null || isBase(row)) return false;
  const { low, high } = quotient.interval ?? { low: quotient.value, high: quotient.value };
  return (low > FAR_RATIO && !(base?.measured.isAtLeast ?? false)) ||
    (high < 1 / FAR_RATIO && !measured.isAtLeast);
}

/** Those that matter, the farthest first. */
export function farRows(rows: readonly MatchedRow[]): MatchedRow[] {
  return rows.filter(isFar).sort(byDistance);
}

/** Two that are infinitely far keep their order. */
function byDistance(a: MatchedRow, b: MatchedRow): number {
  const [one, other] = [distanceOf(a), distanceOf(b)];
  return one === other ? 0 : other - one;
}

function distanceOf({ quotient }: MatchedRow): number {
  return Math.abs(Math.log(quotient?.value ?? 1));
}

/** `static, express`; without the scenario where there is one only. */
export type NameOf = (row: Pick<MatchedRow, "at">) => string;

/** How many matter, and the farthest; without a full stop. */
export function farSentence(rows: readonly MatchedRow[], nameOf: NameOf): string {
  const compared = rows.filter((row) => !isBase(row));
  if (compared.length === 0) return "";
  const far = farRows(rows);
  const margin = percentText(FAR_RATIO - 1);
  if (far.length === 0) return `No figure is surely more than ${margin} from the published one`;
  const [farthest] = far;
  const [verb, ones] = far.length === 1 ? ["is", "one"] : ["are", "ones"];
  const farthestText = `${nameOf(farthest)} at ${quotientText(farthest)}`;
  return `${far.length} of ${
    counted(compared.length, "figure")
  } ${verb} surely more than ${margin} ` +
    `from the published ${ones}, the farthest ${farthestText}`;
}

/** Where the figures lie as a whole: of all there is one reason, of the machine or of what all are divided by. */
export function middleSentence(rows: readonly MatchedRow[], relative: string | null): string {
  const quotients = rows.flatMap((row) =>
    row.quotient === null || isBase(row) ? [] : [row.quotient.value]
  );
  if (quotients.length < FEWEST_FOR_MIDDLE) return "";
  const middle = median(quotients);
  if (middle === 0 || !Number.isFinite(middle)) return "";
  const text = `Half of all figures lie above ${formatRatio(middle, null)} the published ones`;
  if (relative === null) return `${text}, half below`;
  return farRows(rows).length >= quotients.length / 2
    ? `${text}, half below: perhaps it is ${relative} that differs, by which all are divided`
    : "";
}

const FEWEST_FOR_MIDDLE = 3;

/** `static, gin: measured 1.20× [1.15, 1.25] where 2.31× was published, 0.52× [0.50, 0.54] as much`. */
export function differenceText(row: MatchedRow, unit: Published["unit"], nameOf: NameOf): string {
  const { base, ofPublished, ofMeasured } = row;
  const text = (range: Range): string =>
    base === null ? figureRangeText(range, unit) : formatRatio(range.value, range.interval);
  const published = text({ value: ofPublished, interval: null });
  const measured = `${row.measured.isAtLeast ? "≥ " : ""}${text(ofMeasured)}`;
  return `${nameOf(row)}: measured ${measured} where ${published} was published, ${
    quotientText(row)
  } as much`;
}

function quotientText({ quotient }: MatchedRow): string {
  return quotient === null ? "–" : formatRatio(quotient.value, quotient.interval);
}
