/** Two results held against each other, as a reader sees them first: a sentence, one figure, a small forest; then side by side. */
import {
  type ComparedCell,
  comparedName,
  type ComparedSide,
  type ResultsComparison,
} from "./compared_results.ts";
import { sideBySide } from "./tables/compared.ts";
import type { DensityChart } from "./charts/charts.ts";
import { densityFinding, densityOf } from "./charts/density.ts";
import {
  comparisonOf,
  decisiveOf,
  type FigureComparison,
  type GroupComparison,
} from "../judge/comparison.ts";
import { type ForestModel, forestOf } from "./charts/forest.ts";
import { type ComparedFigure, DECISIVE } from "../judge/group.ts";
import { decisiveFigure, isOpenLoop } from "../judge/pairs.ts";
import { percentText, ratioText } from "../writing/ratios.ts";
import {
  figureInProse,
  figureName,
  neededText,
  SESSIONS_TEXT,
  tooManyRunsText,
} from "../findings/judgements.ts";
import type { ConclusionModel } from "./verdict/conclusion.ts";
import type { HeadlineFigure } from "./verdict/headline.ts";
import { type ConclusionForest, forestRow, MOST_FOREST_ROWS } from "./verdict/matrix.ts";
import type { NextStep } from "./verdict/next_steps.ts";
import { gatesSentence } from "../judge/gates/gates.ts";
import type { ReliabilityModel } from "./verdict/reliability.ts";
import type { Fact } from "../blocks.ts";
import { formatMoment, GLUE } from "../writing/units.ts";
import { counted, listed, unique } from "../writing/words.ts";
import type { NamedCell } from "../cells/match.ts";
import type { Table } from "./tables/table.ts";

/** `NEW is worse: requests/s worse in 1 of 8 cells (static, hono), equivalent in 7; p99 equivalent in all.` */
export function comparisonSentence({ cells, gates, decidedBy }: ResultsComparison): string {
  if (decidedBy === "thresholds") return gatesSentence(gates);
  const [only, ...others] = cells;
  if (only === undefined) return "";
  const lead = leadOf(cells);
  if (others.length > 0) return `${lead}${lead === OPEN ? "" : ": "}${cellsText(cells, lead)}.`;
  if (only.errors !== "") return `${lead}: ${only.errors}.`;
  const { comparison } = only;
  const texts = decisiveOf(comparison).map((one) => {
    const word = lead === OPEN ? "" : ` ${wordOf(one, comparison)}`;
    return `${figureInProse(one.figure)} ${ratioText(one)}${word}`;
  });
  return `${lead}: ${texts.join("; ")}.`;
}

/** Of which nothing more is to be said than where. */
const OPEN = "Inconclusive";

/** What figures share is said once: `requests/s and p99 the same within 2 % in all 6 cells`. */
function cellsText(cells: readonly ComparedCell[], lead: string): string {
  const figures = DECISIVE.flatMap((figure) => {
    const decided = cells.filter(({ comparison }) =>
      decisiveOf(comparison).some((one) => one.figure === figure)
    );
    return decided.length === 0
      ? []
      : [{ name: figureInProse(figure), text: figureText(decided, figure) }];
  });
  const names = figures.map(({ name }) => name);
  if (lead === OPEN) {
    const none = names.length === 1
      ? `${names[0]} does not decide`
      : `neither ${names.join(" nor ")} decides`;
    return ` ${inAll(cells)}: ${none}`;
  }
  return [...Map.groupBy(figures, ({ text }) => text)]
    .map(([text, those]) => `${listed(those.map(({ name }) => name), "and")} ${text}`)
    .join("; ");
}

function inAll(cells: readonly ComparedCell[]): string {
  if (cells.length === 1) return "in one cell";
  return `in ${cells.length === 2 ? "both" : `all ${cells.length}`} cells`;
}

/** The worst first, as that is what a comparison is made for. */
function leadOf(cells: readonly ComparedCell[]): string {
  const decisive = cells.flatMap(({ comparison }) => decisiveOf(comparison));
  const has = (verdict: FigureComparison["verdict"]): boolean =>
    decisive.some((one) => one.verdict === verdict);
  if (has("worse")) return has("better") ? "NEW is worse in part" : "NEW is worse";
  if (has("better")) {
    return has("inconclusive") ? "NEW is better where that is decided" : "NEW is better";
  }
  if (!has("inconclusive")) return "NEW is as fast as BASE";
  if (decisive.some(({ reason }) => reason === "sessions")) return "Undecided between two sessions";
  return has("equivalent") ? "No difference proven" : OPEN;
}

/** In few words: why is said of each cell. */
function wordOf(
  { verdict, reason }: FigureComparison,
  { marginRatio }: Pick<GroupComparison, "marginRatio">,
): string {
  if (verdict === "equivalent") return `the same within ${percentText(marginRatio)}`;
  return reason === "sessions" ? "different in these two sessions" : verdict;
}

const WORDS_IN_ORDER = ["worse", "better", "inconclusive"];
/** Of more cells than these, the number says enough. */
const MOST_NAMED = 2;

/** `worse in 1 of 8 cells (static, hono), better in 7`. */
function figureText(cells: readonly ComparedCell[], figure: ComparedFigure): string {
  const groups = Map.groupBy(
    cells,
    ({ comparison }) => wordOf(comparisonOf(comparison, figure), comparison),
  );
  const placeOf = (word: string): number => (WORDS_IN_ORDER.indexOf(word) + 4) % 4;
  const texts = [...groups].sort(([a], [b]) => placeOf(a) - placeOf(b)).map(([word, those], i) => {
    if (those.length === cells.length) {
      return `${word} ${inAll(cells)}`;
    }
    const named = word === "worse" && those.length <= MOST_NAMED
      ? ` (${those.map(comparedName).join("; ")})`
      : "";
    const of = i === 0 ? ` of ${counted(cells.length, "cell")}` : "";
    return `${word} in ${those.length}${of}${named}`;
  });
  return texts.join(", ");
}

/** What a card shows, of an experiment or of two results held against each other. */
export interface CardModel
  extends Pick<ConclusionModel, "sentence" | "figure" | "forest" | "claims"> {
  readonly reliability: Pick<ReliabilityModel, "light" | "level" | "sentence"> | null;
  readonly next: readonly Pick<NextStep, "text">[];
}

/** What a page shows of a comparison, beside its gates and its doubts. */
export interface ComparedModel {
  readonly title: string;
  readonly card: CardModel;
  readonly table: Table;
  readonly forest: ForestModel | null;
  /** One for each cell in which both sides have a response. */
  readonly densities: readonly {
    readonly name: string;
    readonly chart: DensityChart;
    readonly finding: string;
  }[];
  /** Where and when each side was measured. */
  readonly sides: readonly { readonly side: ComparedSide; readonly facts: readonly Fact[] }[];
}

/** @param comparison Of at least one cell. */
export function comparedModel(comparison: ResultsComparison): ComparedModel {
  const { cells, matches, sides } = comparison;
  const nexts = matches.map(({ next }) => next.cell);
  return {
    title: unique(sides.map(titleOf)).join(" → "),
    card: {
      sentence: comparisonSentence(comparison),
      figure: headlineOf(cells),
      forest: smallForest(comparison),
      claims: null,
      reliability: comparison.reliability,
      next: nextSteps(comparison),
    },
    table: sideBySide(cells.map((cell, i) => ({
      name: comparedName(cell),
      comparison: cell.comparison,
      base: matches[i].base.cell,
      next: nexts[i],
    }))),
    forest: forestOf(
      cells.map((cell, i) => ({
        name: comparedName(cell),
        color: nexts[i].color,
        base: "BASE",
        parts: { name: [comparedName(cell)], base: ["BASE"] },
        comparison: cell.comparison,
      })),
      isOpenLoop(nexts),
    ),
    densities: matches.flatMap(({ base, next }, i) => {
      const both = [sideCell(base, "BASE"), sideCell(next, "NEW")];
      const chart = densityOf(both);
      if (chart === null) return [];
      return [{ name: comparedName(cells[i]), chart, finding: densityFinding(both) }];
    }),
    sides: sides.map((side) => ({ side, facts: factsOf(side) })),
  };
}

/** Grey and vermilion: neither is the colour of a target. */
const SIDE_COLORS = { BASE: 6, NEW: 1 } as const;

function sideCell({ cell }: NamedCell, name: ComparedSide["name"]): NamedCell["cell"] {
  return { ...cell, label: name, color: SIDE_COLORS[name] };
}

function titleOf({ last: { experiment, runs } }: ComparedSide): string {
  const title = experiment?.title ?? experiment?.name ?? runs[0]?.url;
  return typeof title === "string" ? title : "Comparison";
}

/** The change that decides: the largest for the worse, or else for the better; of one cell its requests/s. */
function headlineOf(cells: readonly ComparedCell[]): HeadlineFigure | null {
  const all = cells.flatMap((cell) => decisiveOf(cell.comparison).map((one) => ({ cell, one })))
    .filter(({ one: { ratio } }) => ratio !== null);
  const size = ({ one: { ratio } }: typeof all[number]): number => Math.abs(Math.log(ratio ?? 1));
  const largest = (verdict: string): typeof all[number] | undefined =>
    all.filter(({ one }) => one.verdict === verdict).toSorted((a, b) => size(b) - size(a))[0];
  const shown = largest("worse") ?? largest("better") ?? (cells.length === 1 ? all[0] : undefined);
  if (shown === undefined) return null;
  const { cell, one } = shown;
  const [text, interval = ""] = ratioText(one).split(`${GLUE}[`);
  return {
    text,
    interval: interval === "" ? "" : `[${interval}`,
    label: `${figureInProse(one.figure)} of NEW over BASE, ${comparedName(cell)}`,
    value: one.ratio,
    low: one.interval?.low ?? null,
    high: one.interval?.high ?? null,
    unit: "×",
    certainty: one.verdict === "inconclusive" ? "open" : "decided",
  };
}

/** The worst first. */
function smallForest({ cells, matches, marginRatio }: ResultsComparison): ConclusionForest | null {
  const figure = decisiveFigure(matches.map(({ next }) => next.cell));
  const sign = figure === "rate" ? 1 : -1;
  // What all rows share is said once, as each has one line.
  const isOneScenario = new Set(cells.map(({ scenario }) => scenario)).size === 1;
  const against = isOneScenario ? `against BASE in ${cells[0].scenario}` : "against BASE";
  const rows = cells.map((cell, i) => ({
    label: isOneScenario
      ? comparedName(cell).slice(`${cell.scenario}, `.length)
      : comparedName(cell),
    color: matches[i].next.cell.color,
    comparison: comparisonOf(cell.comparison, figure),
    marginRatio,
  })).filter(({ comparison: { ratio } }) => ratio !== null)
    .toSorted((a, b) => sign * ((a.comparison.ratio ?? 1) - (b.comparison.ratio ?? 1)));
  if (rows.length === 0) return null;
  return {
    title: figure === "rate"
      ? `Requests/s ${against}, more is better`
      : `${figureName(figure)} ${against}, less is better`,
    better: figure === "rate" ? "higher" : "lower",
    margin: 1 + marginRatio,
    rows: rows.slice(0, MOST_FOREST_ROWS).map(forestRow),
    omitted: Math.max(0, rows.length - MOST_FOREST_ROWS),
  };
}

function nextSteps({ cells, differences, outcome }: ResultsComparison): CardModel["next"] {
  const all = cells.flatMap(({ comparison }) => decisiveOf(comparison));
  const marginRatio = cells[0].comparison.marginRatio;
  const [needed] = all.filter(({ runsNeeded }) => runsNeeded !== null)
    .toSorted((a, b) => (b.runsNeeded ?? 0) - (a.runsNeeded ?? 0));
  const [first, ...others] = differences;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return [
    ...(first === undefined ? [] : [{
      text: `Measure both sides alike: ${first}${more}.`,
    }]),
    ...(all.some(({ reason }) => reason === "sessions") ? [{ text: SESSIONS_TEXT }] : []),
    ...(needed === undefined || outcome !== "inconclusive" ? [] : [{
      text: tooManyRunsText(needed.runsNeeded ?? 0) ??
        `Add runs: ${neededText(needed, marginRatio)}.`,
    }]),
  ];
}

function factsOf({ last, sessions, runs }: ComparedSide): Fact[] {
  const { experiment, machine, startedAt, version } = last;
  return [
    { label: "Experiment", text: typeof experiment?.name === "string" ? experiment.name : "" },
    {
      label: "Measured",
      text: `${counted(runs, "run")}${sessions > 1 ? ` in ${sessions} sessions` : ""}`,
    },
    {
      label: "On",
      text: machine === null
        ? ""
        : `${machine.hostname}: ${machine.cpu}, ${counted(machine.cores, "core")}`,
    },
    { label: "At", text: startedAt === undefined ? "" : formatMoment(startedAt) },
    { label: "Plateau", text: version },
  ].filter(({ text }) => text !== "");
}
