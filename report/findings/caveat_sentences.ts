/** The sentences of caveats: one for each code, made from its evidence and advice alone. */
import type { Stopping } from "../../runner/result/invocation.ts";
import { MOST_CHANGE } from "./judgements.ts";
import { percentText } from "../writing/ratios.ts";
import { formatMs, formatNumber, GLUE } from "../writing/units.ts";
import { counted, listed } from "../writing/words.ts";
import { noSteadyStateText } from "../cells/cells.ts";
import type {
  Caveat,
  CaveatAdvice,
  CaveatCode,
  CaveatEvidence,
  CaveatOf,
  GroupedCell,
} from "./caveats.ts";
import { endsText, noResponseText } from "./no_response.ts";

type CaveatTexts = { readonly [Code in CaveatCode]: (caveat: CaveatOf<Code>) => string };

/** Each without its full stop. */
const SENTENCES: CaveatTexts = {
  "no-response": ({ evidence }) => {
    const { silent, runs, cells } = evidence;
    if (runs === 1) return noResponseText(evidence);
    const where = silent === runs
      ? `any of ${counted(runs, "run")}`
      : `${silent} of ${counted(runs, "run")} (${cellsText(cells)})`;
    return `No request got a response in ${where}: ${endsText(evidence) || "none was due"}`;
  },
  "still-running": ({ evidence }) => `Still running: ${progressText(evidence)}`,
  interrupted: ({ evidence }) => `Interrupted: ${progressText(evidence)}`,
  "parts-missing": ({ evidence: { parts } }) =>
    `${counted(parts, "planned cell")} ${parts === 1 ? "was" : "were"} not measured`,
  "two-groups": ({ evidence: { cells } }) =>
    `Runs fall into two groups in ${groupedText(cells)}: ` +
    "the intervals there do not cover the truth in 95 of 100 cases",
  "no-steady-state": ({ evidence, advice }) =>
    `${placeText(evidence, "have no steady state in most of their runs")}: ` +
    `${noSteadyStateText(evidence)}${
      adviceText(advice)
    }. Figures without a steady state have no intervals`,
  "no-steady-part": ({ evidence }) =>
    `${placeText(evidence, "have runs without a steady part")}: ${withoutText(evidence)}`,
  stopped: ({ evidence, advice }) => {
    const { repetitions, reason, smallestChange } = evidence;
    const head = `Stopped after ${repetitions} repetitions${WHY[reason]}: ${widthText(evidence)}`;
    return smallestChange === null
      ? head
      : `${head}; ${changeText(smallestChange)}${adviceText(advice)}`;
  },
};

/** "" without a caveat. */
export function caveatSentence(caveat: Caveat | null): string {
  return caveat === null ? "" : `${sentenceOf(caveat.code, caveat)}.`;
}

/** Ties the sentence to its own evidence: a union of both could not be called. */
function sentenceOf<Code extends CaveatCode>(code: Code, caveat: CaveatOf<Code>): string {
  return SENTENCES[code](caveat);
}

/** Each goes on from a colon. */
const ADVICE_TEXTS: Readonly<Record<CaveatAdvice, string>> = {
  "longer-run": "run longer",
  "more-runs": "add runs",
};

function adviceText(advice: readonly CaveatAdvice[]): string {
  return advice.length === 0 ? "" : `: ${advice.map((code) => ADVICE_TEXTS[code]).join(", or ")}`;
}

function progressText({ runs, planned }: CaveatEvidence["interrupted"]): string {
  return `${runs} of ${counted(planned, "planned run")} are in`;
}

/** So many silent cells are named. */
const MOST_SILENT = 3;

function cellsText(cells: readonly string[]): string {
  const left = cells.length - MOST_SILENT;
  return cells.slice(0, MOST_SILENT).join("; ") + (left > 0 ? ` and ${left} more` : "");
}

/** So many cells of two groups are named. */
const MOST_GROUPED = 4;

/** `static, hono (4 near 15,000/s, 1 near 11,900/s) and 2 more cells` */
function groupedText(cells: readonly GroupedCell[]): string {
  const named = cells.slice(0, MOST_GROUPED).map(({ cell, figure, groups }) =>
    `${cell} (${
      groups.map(({ count, value }) => `${count} near ${FIGURE_TEXTS[figure](value)}`).join(", ")
    })`
  );
  const rest = cells.length - named.length;
  return listed(rest === 0 ? named : [...named, counted(rest, "more cell")], "and");
}

const FIGURE_TEXTS: Readonly<Record<GroupedCell["figure"], (value: number) => string>> = {
  rate: (value) => `${formatNumber(value)}/s`,
  p99: (value) => `p99 ${formatMs(value / 1_000)}`,
};

/** `static, hono`, or `5 cells have …, such as static, hono`. @param what All of them have in common. */
function placeText(
  { cells, cell }: CaveatEvidence["no-steady-part"],
  what: string,
): string {
  return cells === 1 ? cell : `${cells} cells ${what}, such as ${cell}`;
}

function withoutText({ count, of }: CaveatEvidence["no-steady-part"]): string {
  return count === of
    ? "no run has a steady part, so its figures are of whole runs, without intervals"
    : `${count} of ${counted(of, "run")} ${
      count === 1 ? "has" : "have"
    } no steady part, and so no figures`;
}

const WHY: Readonly<Record<Stopping["reason"], string>> = {
  precision: "",
  fixed: "",
  budget: ", as another would have passed the time budget",
  limit: ", the most that were allowed",
};

function widthText({ halfWidth, target, reason }: Stopping): string {
  if (halfWidth === null) return "not every cell has an interval";
  if (halfWidth > MOST_CHANGE) {
    return "the intervals of requests/s and p50 are too wide to say anything";
  }
  const widest = percentText(halfWidth);
  if (target === null) return `the widest interval of requests/s and p50 is ±${GLUE}${widest}`;
  const required = percentText(target);
  if (reason === "precision") {
    return `every interval of requests/s and p50 is within ±${GLUE}${required} (widest ±${GLUE}${widest})`;
  }
  return `the widest interval of requests/s and p50 is ±${GLUE}${widest}, where ±${GLUE}${required} was required`;
}

function changeText(change: number): string {
  return change > MOST_CHANGE
    ? "a change of less than 10× would not have been seen"
    : `a change of ${percentText(change)} would have been seen`;
}
