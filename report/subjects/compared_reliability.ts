/** Whether what two results say against each other can be relied on: what they would say without runs that are not valid. */
import { decisiveOf, type GroupComparison } from "../judge/comparison.ts";
import type { ReliabilityModel } from "./verdict/reliability.ts";
import type { TrustModel } from "../findings/trust.ts";
import { capitalized, counted, listed } from "../writing/words.ts";

export type ComparedReliability = Pick<
  ReliabilityModel,
  "survival" | "light" | "level" | "sentence"
>;

interface SideRuns {
  readonly name: string;
  readonly runs: number;
  readonly valid: number;
  /** Null without runs. */
  readonly trust: TrustModel | null;
}

/** By its name. */
type NamedComparisons = ReadonlyMap<string, GroupComparison>;

interface ComparedTwice {
  readonly sides: readonly SideRuns[];
  /** With all runs. */
  readonly cells: NamedComparisons;
  /** With those that are valid; null where all are, or a side has none. */
  readonly again: NamedComparisons | null;
}

/** Of a verdict that is another without them nobody is to rely on any part: red where no cell keeps its own. */
export function comparedReliability(
  { sides, cells, again }: ComparedTwice,
): ComparedReliability {
  const share = validText(sides);
  if (sides.every(({ runs, valid }) => runs === valid)) {
    return { survival: "all-valid", light: "green", level: "valid", sentence: `${share}.` };
  }
  const level = sides.some(({ trust }) => trust?.level === "invalid") ? "invalid" : "suspect";
  const empty = sides.filter(({ valid }) => valid === 0).map(({ name }) => name);
  if (again === null) {
    const sentence = `${share}; without ${listed(empty, "and")} there is nothing to compare.`;
    return { survival: "none-valid", light: "red", level, sentence };
  }
  const missing = [...cells.keys()].filter((name) => !again.has(name));
  const other = [...cells].filter(([name, comparison]) => {
    const kept = again.get(name);
    return kept === undefined || verdictsOf(kept) !== verdictsOf(comparison);
  });
  if (other.length === 0) {
    const sentence = `${share}; without the others the verdict is the same.`;
    return { survival: "same", light: "amber", level, sentence };
  }
  const isAll = other.length === cells.size;
  const isFewer = missing.length === cells.size;
  const where = cells.size === 1
    ? ""
    : isAll
    ? " in every cell"
    : ` in ${other.length} of ${counted(cells.size, "cell")}`;
  const rest = isFewer ? "too little is left to compare" : `the verdict is another${where}`;
  return {
    survival: isFewer ? "fewer" : isAll ? "changed" : "partly",
    light: isAll ? "red" : "amber",
    level,
    sentence: `${share}; without the others ${rest}.`,
  };
}

/** `All 18 runs of BASE and 9 of 18 of NEW are valid`. */
function validText(sides: readonly SideRuns[]): string {
  const texts = sides.map(({ name, runs, valid }, i) => {
    const of = i === 0 ? counted(runs, "run") : String(runs);
    return valid === runs ? `all ${of} of ${name}` : `${valid} of ${of} of ${name}`;
  });
  return `${capitalized(listed(texts, "and"))} are valid`;
}

/** Of the figures that decide. */
function verdictsOf(comparison: GroupComparison): string {
  return decisiveOf(comparison).map(({ verdict }) => verdict).join();
}
