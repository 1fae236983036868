/** A comparison of two results for scripts and CI: JSON and JUnit. */
import { comparisonOf, decisiveOf, type FigureComparison } from "../judge/comparison.ts";
import { gateCase, type Testcase, type Testsuite } from "./junit.ts";
import { COMPARED, type ComparedFigure, DECISIVE } from "../judge/group.ts";
import {
  type ComparedCell,
  comparedName,
  comparedOutcome,
  type ResultsComparison,
  sentenceOf,
} from "../subjects/compared_results.ts";
import { comparedCard } from "../subjects/compared_conclusion.ts";
import { sessionStdevOf } from "../judge/between.ts";
import { figureKey, figureName, verdictText, verdictWord } from "../findings/judgements.ts";
import { ratioText } from "../writing/ratios.ts";
import { comparedTable, notesOf } from "../subjects/tables/compared.ts";
import { formatMs, formatNumber, GLUE } from "../writing/units.ts";
import type { Table } from "../subjects/tables/table.ts";
import { BLANK, HANGING, indented, lineOf, paragraphLines } from "./terminal/line.ts";
import { outcomeLines } from "./terminal/verdicts.ts";
import { bulletList, documentOf, lines, md, paragraphs } from "../writing/markdown.ts";
import { type TerminalOptions, type TextLine, writtenLines } from "../writing/terminal.ts";
import type { Written } from "../writing/written.ts";
import { cardLines } from "./terminal/card.ts";
import { cardMarkdown, thresholdsMarkdown } from "./markdown.ts";
import { tableWithNotes } from "./markdown_blocks.ts";

/** Times in milliseconds, rates per second, shares 0–1; ratios are new over base. */
export function comparisonJson(comparison: ResultsComparison): unknown {
  const { cells, gates, outcome, marginRatio } = comparison;
  const { code, sentence, notes, reliability } = comparedCard(comparison);
  const { differences, untrusted, onlyBase, onlyNext, decidedBy } = comparison;
  return {
    schema: "plateau.comparison/1",
    outcome,
    decidedBy,
    code,
    sentence: [sentence, ...notes].join(" ").replaceAll(GLUE, " "),
    reliability: reliability && {
      ...reliability,
      sentence: reliability.sentence.replaceAll(GLUE, " "),
    },
    marginRatio,
    ...(comparison.revisions && { revisions: comparison.revisions }),
    differences,
    untrusted,
    onlyBase,
    onlyNext,
    explanations: explanationsOf(comparison),
    cells: cells.map(({ scenario, base, next, comparison: { figures, runs }, errors }) => ({
      scenario,
      base,
      next,
      runs,
      fault: errors === "" ? null : errors,
      figures: Object.fromEntries(
        figures.map((figure) => [figureKey(figure.figure), figureJson(figure)]),
      ),
    })),
    thresholds: gates,
  };
}

function figureJson(figure: FigureComparison): unknown {
  const { base, next, ratio, interval, p, adjustedP, exact, pairs, verdict } = figure;
  const { pairingGain, between, reason, smallestChange, runsNeeded } = figure;
  return {
    base,
    next,
    ratio,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p,
    adjustedP,
    mannWhitneyP: pairs === null ? exact?.p ?? null : null,
    signFlipP: pairs === null ? null : exact?.p ?? null,
    pairs,
    pairingGain,
    sessions: between?.kind ?? null,
    sessionStdev: between === null ? null : sessionStdevOf(between),
    verdict,
    reason,
    smallestChange,
    runsNeeded,
  };
}

/**
 * A testcase for each cell and figure, and for each threshold. Only the figures that decide how the comparison
 * ends can fail; what the others say against the new results is in their message.
 */
export function comparisonSuite(
  comparison: ResultsComparison,
  { startedAt, hostname }: Pick<Testsuite, "startedAt" | "hostname">,
): Testsuite {
  const name = "plateau compare";
  const cases = [
    ...comparison.cells.flatMap((cell) =>
      COMPARED.filter((figure) => isJudged(cell, figure))
        .map((figure) => figureCase(cell, figure, comparison.decidedBy))
    ),
    ...comparison.gates.map((gate) => gateCase(name, gate)),
  ];
  return { name, startedAt, hostname, cases, output: revisionTexts(comparison) };
}

/** CPU time is no testcase where nobody saw it. */
function isJudged({ comparison }: ComparedCell, figure: ComparedFigure): boolean {
  return figure !== "cpuPerRequest" || comparisonOf(comparison, figure).ratio !== null;
}

function figureCase(
  cell: ComparedCell,
  figure: ComparedFigure,
  decidedBy: ResultsComparison["decidedBy"],
): Testcase {
  const one = comparisonOf(cell.comparison, figure);
  const named = {
    classname: `plateau compare.${cell.scenario}`,
    name: `${comparedName(cell)}: ${figureName(figure)}`,
  };
  const outcome = comparedOutcome(cell, figure);
  if (outcome === "pass") return named;
  const why = cell.errors ||
    (one.verdict === "worse" ? "" : verdictText(one, cell.comparison.marginRatio));
  const message = [`${one.verdict}: ${ratioText(one)}`, why].filter(Boolean).join(", ");
  if (decidedBy === "thresholds" || !decisiveOf(cell.comparison).includes(one)) {
    return { ...named, problem: { kind: "skipped", type: one.verdict, message } };
  }
  const kind = outcome === "fail" ? "failure" : "error";
  return { ...named, problem: { kind, type: one.verdict, message } };
}

// A comparison of two results for people, and for pull requests.

/** With a line break at its end. */
export function renderComparison(
  comparison: ResultsComparison,
  options: TerminalOptions,
): Written<"terminal"> {
  const { cells, gates } = comparison;
  const notes = cells.length === 0 ? [] : notesOf(cells.map(({ comparison }) => comparison));
  const lines = [
    ...doubtsOf(comparison).flatMap((doubt) =>
      paragraphLines(doubt, options.width, { ...HANGING, style: "yellow" })
    ),
    ...cells.flatMap((cell) => cellLines(cell, options)),
    BLANK,
    ...explanationsOf(comparison).flatMap((text) => paragraphLines(text, options.width, HANGING)),
    ...notes.flatMap((note) => paragraphLines(note, options.width)),
    ...(gates.length > 0 ? [BLANK, lineOf("Thresholds", "cyan")] : []),
    ...outcomeLines(gates, options),
    ...cardLines(comparedCard(comparison), options),
  ];
  return writtenLines(lines, options);
}

export function renderComparisonMarkdown(comparison: ResultsComparison): Written<"markdown"> {
  const { cells, gates } = comparison;
  const table = tableOfAll(comparison);
  const items = cells.map((cell) => md`- ${sentenceOf(cell)}: ${findingsOf(cell).join("; ")}`);
  return documentOf(paragraphs([
    md`## Comparison`,
    ...cardMarkdown(comparedCard(comparison)),
    bulletList(revisionTexts(comparison)),
    ...doubtsOf(comparison).map((doubt) => md`**${doubt}**`),
    lines(items),
    lines(explanationsOf(comparison).map((text) => md`- ${text}`)),
    ...(table ? tableWithNotes(table) : []),
    ...thresholdsMarkdown(gates),
  ]));
}

/** `BASE is main (a1b2c3d): Add a cache`; none of two results. */
function revisionTexts({ revisions, sides: [base, next] }: ResultsComparison): string[] {
  return revisions === null
    ? []
    : [`${base.name} is ${revisions.base}`, `${next.name} is ${revisions.next}`];
}

/** What its profiles say of each cell that is slower or faster. */
function explanationsOf({ profiles }: ResultsComparison): string[] {
  return profiles.flatMap(({ name, profiles: { differences } }) =>
    differences.map((text) => `${name}: ${text.replaceAll(GLUE, " ")}.`)
  );
}

/** What makes the comparison doubtful, or smaller than it might be. */
function doubtsOf(
  { differences, untrusted, onlyBase, onlyNext, sides: [base, next] }: ResultsComparison,
): string[] {
  return [
    ...differences.map((difference) => `Warning: not measured alike: ${difference}`),
    ...untrusted.map((text) => `Warning: ${text}`),
    ...(onlyBase.length === 0 ? [] : [`Only in ${base.name}: ${onlyBase.join("; ")}`]),
    ...(onlyNext.length === 0 ? [] : [`Only in ${next.name}: ${onlyNext.join("; ")}`]),
  ];
}

/** What the figures that decide say, and whether responses were wrong. */
function findingsOf({ comparison, errors }: ComparedCell): string[] {
  const { marginRatio } = comparison;
  const rate = comparisonOf(comparison, "rate");
  const p99 = comparisonOf(comparison, 99);
  const cpu = comparisonOf(comparison, "cpuPerRequest");
  if (errors !== "") return [`${rate.verdict}: ${errors}`];
  return [
    `${formatNumber(rate.base)} → ${formatNumber(rate.next)} requests/s: ${
      verdictText(rate, marginRatio)
    }`,
    `p99 ${formatMs(p99.base)} → ${formatMs(p99.next)}: ${
      comparison.decisive.includes(99)
        ? verdictText(p99, marginRatio)
        : "what the rules of the capacity allow"
    }`,
    ...(cpu.ratio === null ? [] : [
      `CPU/request ${formatMs(cpu.base)} → ${formatMs(cpu.next)}, ${ratioText(cpu)}: ${
        verdictText(cpu, marginRatio)
      }`,
    ]),
  ];
}

/** `mean 0.41× [0.25, 0.67] better, p50 …`: the figures that do not decide. */
function othersOf({ comparison: { figures, marginRatio } }: ComparedCell): string {
  const shown: readonly ComparedFigure[] = DECISIVE;
  return figures
    .filter(({ figure }) => !shown.includes(figure))
    .map((one) => `${figureName(one.figure)} ${ratioText(one)} ${verdictWord(one, marginRatio)}`)
    .join(", ");
}

function cellLines(cell: ComparedCell, { width }: TerminalOptions): TextLine[] {
  return [
    BLANK,
    ...paragraphLines(sentenceOf(cell), width, HANGING),
    ...[...findingsOf(cell), othersOf(cell)].flatMap((text) =>
      paragraphLines(text, width - 2, HANGING).map(indented)
    ),
  ];
}

function tableOfAll({ cells }: ResultsComparison): Table | null {
  return comparedTable(
    "Ratios, new over base",
    cells.map((cell) => ({ name: comparedName(cell), base: null, comparison: cell.comparison })),
  );
}
