/** A comparison of two results as a document: both sides of each cell, the ratios, profiles and distributions. */
import { TRUSTS } from "../../../runner/result/generator.ts";
import { type Block, factsFrom, figure, group, list, table, text } from "../../blocks.ts";
import { legendOf } from "../../chart.ts";
import type { Document } from "../../document.ts";
import { leadOf } from "../../findings/lead.ts";
import { doubtsOfSides, nounOfRuns } from "../../findings/trust.ts";
import { isOpenLoop } from "../../judge/pairs.ts";
import { formatMoment } from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";
import { densityFinding, densityOf } from "../charts/density.ts";
import {
  type ComparedPair,
  comparedTable,
  comparedTexts,
  forestOf,
  notesOf,
} from "../tables/compared.ts";
import { FOREST } from "../compared.ts";
import { DENSITY } from "../latency.ts";
import { profileBlocks } from "../profiles/profiles.ts";
import { groupsOf, type Subject } from "../subject.ts";
import { slicedBlocks } from "../slices.ts";
import { WHY_TITLE } from "../about.ts";
import { thresholdBlocks } from "../thresholds.ts";
import { comparedCard } from "./card.ts";
import {
  type ComparedCell,
  type ComparedSide,
  isTrusted,
  type ResultsComparison,
} from "./comparison.ts";

/** The document of a comparison. @param comparison Has at least one cell. */
export function comparedDocument(comparison: ResultsComparison): Document {
  const { cells, sides } = comparison;
  const origins = sidesText(comparison).map((text) => ({ code: "side", text }));
  return {
    kind: "comparison",
    name: "Comparison",
    title: unique(sides.map(titleOf)).join(" → "),
    lead: [list(origins, { forms: ["page", "markdown"] })],
    card: comparedCard(comparison),
    groups: groupsOf(COMPARISON, comparison),
    colors: cells.map(({ match }) => match.next.color),
    targets: [],
    scenarios: [],
  };
}

function titleOf({ last: { experiment, runs } }: ComparedSide): string {
  const title = experiment?.title ?? experiment?.name ?? runs[0]?.url;
  return typeof title === "string" ? title : "Comparison";
}

/** For example `BASE is main (a1b2c3d): Add a cache`; empty if two separate results are compared. */
export function revisionTexts({ revisions, sides: [base, next] }: ResultsComparison): string[] {
  return revisions === null
    ? []
    : [`${base.name} is ${revisions.base}`, `${next.name} is ${revisions.next}`];
}

/** The revisions of the sides or, if they are unknown, when each side was measured. */
function sidesText(comparison: ResultsComparison): string[] {
  if (comparison.revisions !== null) return revisionTexts(comparison);
  return comparison.sides.flatMap(({ name, last: { startedAt } }) =>
    startedAt === undefined ? [] : [`${name} was measured ${formatMoment(startedAt)}`]
  );
}

/** Reasons to doubt the comparison, and why it covers less than it might. */
function about(comparison: ResultsComparison): Block[] {
  const { sides: [base, next], untrusted, onlyBase, onlyNext } = comparison;
  const levels = [base, next].map(({ trust }) => trust?.level);
  return [
    list(doubtsOfSides([base, next]).map((text) => ({ code: "trust", text })), {
      title: isTrusted(comparison) ? untrusted.join("; ") : WHY_TITLE,
      fold: TRUSTS.findLast((level) => levels.includes(level)) ?? "valid",
    }),
    differenceList(comparison),
    onlyText(base, onlyBase),
    onlyText(next, onlyNext),
    heldText(comparison),
  ];
}

export function differenceList({ differences }: ResultsComparison): Block {
  return list(differences.map((text) => ({ code: "difference", text })), {
    title: "Not measured alike",
    fold: "suspect",
  });
}

function onlyText({ name }: ComparedSide, cells: readonly string[]): Block {
  const found = cells.length === 0 ? "" : `Only in ${name}: ${cells.join("; ")}`;
  return text("only", found, "warning");
}

/**
 * A warning that streams and WebSockets are compared as wholes, however long they were open. It suggests a threshold
 * that compares their messages.
 */
function heldText({ cells }: ResultsComparison): Block {
  const held = cells.filter(({ match: { base, next } }) =>
    [...base.runs, ...next.runs].some((run) => leadOf(run).unit !== "requests")
  );
  const isAnswered = held.some(({ match: { next } }) =>
    next.runs.some(({ sockets }) => sockets !== undefined && sockets.message.count > 0)
  );
  const rule = `${isAnswered ? "message" : "gap"}.p99 not worse than baseline by 10%`;
  const found = `Compared as whole streams or WebSockets, however long they were held: ${
    held.map(({ name }) => name).join("; ")
  }. To compare their messages, write a threshold such as "${rule}".`;
  return text("held", held.length === 0 ? "" : found, "warning");
}

function pairsOf({ cells, sides: [base] }: ResultsComparison): ComparedPair[] {
  return cells.map(({ name, comparison, match }) => ({
    ...{ name, comparison, base: base.name, color: match.next.color },
    cells: [match.base, match.next],
  }));
}

/** For example `NEW over BASE`. */
function overText([base, next]: ResultsComparison["sides"]): string {
  return `${next.name} over ${base.name}`;
}

export function sideBySide(comparison: ResultsComparison): Block[] {
  const { cells, sides } = comparison;
  const caption = `${overText(sides)}, and both figures`;
  const both = comparedTable(caption, pairsOf(comparison), { areSides: true });
  return [
    ...both === null ? [] : [table({ ...both, notes: [] }, { forms: ["page", "markdown"] })],
    ...cells.map((cell) =>
      list(findingsOf(cell).map((text) => ({ code: "cell", text })), {
        title: cell.name,
        forms: ["terminal"],
      })
    ),
  ];
}

/** The verdicts on the figures, with deciding figures first, or else why the figures mean nothing. */
function findingsOf({ comparison, errors, match }: ComparedCell): string[] {
  const [{ verdict }] = comparison.figures;
  return errors === ""
    ? comparedTexts(comparison, [match.base, match.next])
    : [`${verdict}: ${errors}`];
}

/** The most cells in the summary, so that it fits on paper. */
const MOST_IN_SUMMARY = 8;

function depthFor({ length }: readonly ComparedCell[]): "summary" | "detail" {
  return length > MOST_IN_SUMMARY ? "detail" : "summary";
}

export function ratios(comparison: ResultsComparison): Block[] {
  const { cells } = comparison;
  const isOpen = isOpenLoop(cells.map(({ match }) => match.next));
  const panels = forestOf(pairsOf(comparison), isOpen);
  const blocks = [figure(panels, { id: "1", reading: FOREST, forms: ["page"] })];
  return [group("", blocks, { depth: depthFor(cells) })];
}

function profiles({ profiles }: ResultsComparison): Block[] {
  return profiles.map(({ name, profiles }) => group(name, profileBlocks(name, profiles)));
}

/** Grey and vermilion, neither of which is the colour of a target. */
const SIDE_COLORS = [6, 1];

function takingTurns({ cells, sides }: ResultsComparison): Block[] {
  const [base, next] = sides.map(({ name }, i) => ({ label: name, color: SIDE_COLORS[i] }));
  return slicedBlocks(cells.map((cell) => ({ ...cell, sides: [base, next] })));
}

/** Latency distributions of both sides of each cell in one chart. */
function latency({ cells, sides }: ResultsComparison): Block[] {
  const drawn = cells.flatMap(({ name, match: { base, next } }) => {
    const both = [base, next].map((cell, i) => ({
      ...cell,
      label: sides[i].name,
      color: SIDE_COLORS[i],
    }));
    const chart = densityOf(both);
    return chart === null ? [] : [{ title: name, chart, found: densityFinding(both) }];
  });
  const distributions = figure(drawn, {
    legend: drawn.length === 0 ? [] : legendOf(drawn[0].chart),
    findings: drawn.map(({ title, found }) => ({ code: "density", text: `${title}: ${found}` })),
    reading: DENSITY,
    forms: ["page"],
  });
  return [group("", [distributions], { depth: depthFor(cells) })];
}

function method({ cells, sides }: ResultsComparison): Block[] {
  const comparisons = cells.map(({ comparison }) => comparison);
  return [
    group("", sides.map(sideBlock), { layout: "halves" }),
    ...notesOf(comparisons, overText(sides)).map((note) => text("how", note)),
  ];
}

/** Facts about the measurement of a side: what was measured, how often, where and when. */
function sideBlock({ name, last, sessions, runs }: ComparedSide): Block {
  const { experiment, machine, startedAt, version } = last;
  const measured = counted(runs.length, nounOfRuns(runs));
  const on = machine && `${machine.hostname}: ${machine.cpu}, ${counted(machine.cores, "core")}`;
  const facts = factsFrom([
    ["Experiment", typeof experiment?.name === "string" ? experiment.name : ""],
    ["Measured", sessions > 1 ? `${measured} in ${sessions} sessions` : measured],
    ["On", on ?? ""],
    ["At", startedAt === undefined ? "" : formatMoment(startedAt)],
    ["Plateau", version],
  ]);
  return group(name, [{ kind: "facts", facts, forms: ["page"] }]);
}

const COMPARISON: readonly Subject<ResultsComparison>[] = [
  ["about", "", "summary", about],
  ["thresholds", "Thresholds", "summary", ({ gates }) => thresholdBlocks(gates)],
  ["cells", "Side by side", "summary", sideBySide],
  ["ratios", "Ratios", "summary", ratios],
  ["slices", "Slices over time", "summary", takingTurns],
  ["profiles", "Profiles", "summary", profiles],
  ["latency", "Latency of both", "summary", latency],
  ["method", "Method", "summary", method],
];
