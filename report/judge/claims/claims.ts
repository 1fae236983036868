/**
 * Claims × results → reproduced, not reproduced or inconclusive, with a sentence each. A claim is judged in
 * every cell that its selectors mean, and the worst cell decides: what is said of all must hold for all. By
 * intervals over the runs, as everywhere: one run each decides nothing.
 */
import type { Claim, FigureSide } from "../../../runner/result/result.ts";
import type { Verdicts } from "../../../runner/result/conclusion.ts";
import { comparedFindings } from "./compared.ts";
import { correlationFindings, ratiosFindings, warmupFindings } from "./ratios.ts";
import {
  type AbsenceCode,
  CLAIM_OUTCOMES,
  type ClaimAbsence,
  type ClaimFinding,
  type ClaimOutcome,
  worstFinding,
} from "./finding.ts";
import {
  claimSentence,
  foundText,
  givenCoresSentence,
  givenSentence,
  invalidRunsSentence,
  openSentence,
  unmeasuredSentence,
} from "./sentences.ts";
import {
  chosenBy,
  type ClaimContext,
  type Claimed,
  contextOf,
  countingContexts,
  countsFor,
} from "./context.ts";
import { type Table, tableOf, textCell } from "../../subjects/tables/table.ts";
import { GLUE } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { Grouped, ScenarioRuns } from "../../cells/cells.ts";

interface ClaimVerdict {
  readonly outcome: ClaimOutcome;
  /** The ratio or figure of the worst cell, with its interval; "" where there is none. */
  readonly found: string;
  /** `7 of 9 cells`; "" for one. */
  readonly held: string;
  /** What was found in the worst cell, and what leaves it open, with figures and units; without a full stop. */
  readonly sentence: string;
  /** What leaves the outcome open; "" where it is decided. Part of the sentence. */
  readonly doubt: string;
}

export interface JudgedClaim extends ClaimVerdict {
  /** As it was written. */
  readonly claim: string;
  /** Where it stands, and what a reader should know beside it; "" when the experiment does not say. */
  readonly source: string;
  readonly note: string;
  /** False: inconclusive here whatever its runs show, as what it was published of is not so here. */
  readonly isDecidable: boolean;
}

/** @param again The same cells by the runs that count; null where all do. */
function judgeClaim(claim: Claim, ground: ClaimContext, again: ClaimContext | null): JudgedClaim {
  const { text, source = "", note = "" } = claim;
  const verdict = verdictOf(claim, ground);
  const ofGiven = doubtOfGiven(claim, verdict, ground);
  const about = { claim: text, source, note, isDecidable: ofGiven === "" };
  const doubt = (again === null ? "" : doubtOfRuns(claim, verdict, { ground, again })) || ofGiven;
  if (doubt === "") return { ...about, ...verdict };
  const sentence = `${doubt}; as it is, ${verdict.outcome}: ${verdict.sentence}`;
  return { ...about, ...verdict, outcome: "inconclusive", sentence, doubt };
}

/** Of a claim that is not reproduced where what it was published of is not so; "" where it is. */
function doubtOfGiven({ given }: Claim, { outcome }: ClaimVerdict, ground: ClaimContext): string {
  if (given === undefined || outcome !== "not reproduced") return "";
  if (given.cores !== undefined) {
    return ground.cores < given.cores ? givenCoresSentence(given.cores, ground.cores) : "";
  }
  if (given.says === undefined) return "";
  const met = verdictOf({ text: given.text, says: given.says }, ground);
  return met.outcome === "reproduced" ? "" : givenSentence(given.text, met);
}

/** A cell that was not measured leaves a claim open, whatever the others say. */
function verdictOf(claim: Claim, ground: ClaimContext): ClaimVerdict {
  const findings = findingsOf(claim, ground);
  const doubt = unmeasuredSentence(findings.flatMap(unmeasuredIn));
  const measured = findings.filter((finding) => unmeasuredIn(finding).length === 0);
  if (measured.length === 0) {
    return { outcome: "inconclusive", found: "", held: "", sentence: doubt, doubt };
  }
  const worst = worstFinding(measured);
  const holding = measured.filter(({ outcome }) => outcome === "reproduced").length;
  const held = measured.length === 1 ? "" : `${holding} of ${measured.length} cells`;
  const sentence = sentenceOf(claimSentence(worst), held, worst.outcome);
  const found = foundText(worst);
  if (doubt === "") {
    return { outcome: worst.outcome, found, held, sentence, doubt: openSentence(worst) };
  }
  const byRest = `${doubt}; by the other cells it is ${worst.outcome}: ${sentence}`;
  return { outcome: "inconclusive", found, held, sentence: byRest, doubt };
}

/** Why nothing was found where nothing was measured. */
const UNMEASURED: readonly AbsenceCode[] = [
  "cell-not-measured",
  "nothing-measured",
  "none-selected",
  "constant-not-measured",
];

function unmeasuredIn(finding: ClaimFinding): ClaimAbsence[] {
  if (finding.code !== "absent") return [];
  return finding.evidence.absences.filter(({ code }) => UNMEASURED.includes(code));
}

/** "" where the outcome is open anyway, or the same without the runs that do not count. */
function doubtOfRuns(
  claim: Claim,
  { outcome }: ClaimVerdict,
  { ground, again }: { readonly ground: ClaimContext; readonly again: ClaimContext },
): string {
  if (outcome === "inconclusive") return "";
  const members = new Set(
    selectorsIn(claim).flatMap((selector) => {
      const chosen = chosenBy(selector, ground);
      return "none" in chosen ? [] : chosen.members;
    }),
  );
  const runs = [...members].flatMap(({ cell }) => cell?.runs ?? []);
  const invalid = runs.filter((run) => !countsFor(claim)(run)).length;
  const without = invalid === 0 ? outcome : verdictOf(claim, again).outcome;
  return without === outcome ? "" : invalidRunsSentence({ invalid, runs: runs.length, without });
}

function selectorsIn({ says }: Claim): FigureSide["selector"][] {
  switch (says.kind) {
    case "compare":
    case "within":
      return [says.left, says.right].flatMap((side) =>
        side.kind === "figure" ? [side.selector] : []
      );
    case "ratios":
      return [says.left, says.right].flatMap(({ of, to }) => [of.selector, to.selector]);
    case "warmup":
    case "correlation":
      return [says.selector];
  }
}

function findingsOf({ says }: Claim, ground: ClaimContext): ClaimFinding[] {
  switch (says.kind) {
    case "compare":
    case "within":
      return comparedFindings(says, ground);
    case "ratios":
      return ratiosFindings(says, ground);
    case "warmup":
      return warmupFindings(says, ground);
    case "correlation":
      return correlationFindings(says, ground);
  }
}

function sentenceOf(sentence: string, held: string, outcome: ClaimOutcome): string {
  if (held === "") return sentence;
  return `holds in ${held}; ${outcome === "reproduced" ? "the nearest" : "the worst"}: ${sentence}`;
}

// Judged claims as a table, as lines of text, and counted in a sentence.

const MARKS: Readonly<Record<ClaimOutcome, string>> = {
  reproduced: "✓",
  "not reproduced": "✗",
  inconclusive: "?",
};

const HOW =
  "Reproduced: the whole 95 % interval over the runs is where the claim says. Not reproduced: all of " +
  "it is elsewhere. Inconclusive: neither, or there is no interval, or a cell of it was not measured, or the " +
  "outcome is another without the runs that the generator or the machine may have limited, or what it was " +
  "published of is not so here. A claim about several cells must hold in all; the figures are those of the worst.";

/**
 * Those that were reproduced, then those that were not, then the inconclusive ones, at last those that can't be decided
 * here; each as they were written.
 */
export function claimGroups(claims: readonly JudgedClaim[]): readonly (readonly JudgedClaim[])[] {
  return (["reproduced", "not reproduced", "inconclusive"] as const)
    .map((outcome) => claims.filter((claim) => claim.outcome === outcome))
    .map((group) => [
      ...group.filter(({ isDecidable }) => isDecidable),
      ...group.filter(({ isDecidable }) => !isDecidable),
    ])
    .filter(({ length }) => length > 0);
}

/** `✓ 13 reproduced`, `? 5 inconclusive (2 not decidable here)`. @param claims Of one outcome, at least one. */
export function claimGroupText(claims: readonly JudgedClaim[]): string {
  const [{ outcome }] = claims;
  return `${MARKS[outcome]}${GLUE}${claims.length} ${outcome}${outOfReachText(claims)}`;
}

function outOfReachText(claims: readonly JudgedClaim[]): string {
  const count = claims.filter(({ isDecidable }) => !isDecidable).length;
  return count === 0 ? "" : ` (${count} not decidable here)`;
}

/** By outcome; null without claims. */
export function claimsTable(claims: readonly JudgedClaim[]): Table | null {
  if (claims.length === 0) return null;
  const isSourced = claims.some(({ source, note }) => source !== "" || note !== "");
  return tableOf({ caption: "Claims", notes: [HOW] }, claimGroups(claims).flat(), [
    { label: "Claim", kind: "name", cell: ({ claim }) => textCell(claim) },
    ...(isSourced
      ? [
        {
          label: "Stands in",
          kind: "text",
          cell: ({ source, note }: JudgedClaim) => ({
            text: source || "–",
            ...(note !== "" && { below: note }),
          }),
        } as const,
      ]
      : []),
    {
      label: "Found",
      kind: "text",
      cell: ({ found, held }) => ({ text: found || "–", ...(held !== "" && { below: held }) }),
    },
    {
      label: "Outcome",
      kind: "text",
      cell: ({ outcome }) => ({
        text: `${MARKS[outcome]}${GLUE}${outcome}`,
        ...(outcome === "not reproduced" && { alarming: true }),
      }),
    },
    { label: "In words", kind: "text", cell: ({ sentence }) => textCell(sentence) },
  ]);
}

/** `5 of 9 claims reproduced, 1 not, 3 inconclusive (2 not decidable here)`; "" without claims. */
export function claimsSummary(claims: readonly JudgedClaim[]): string {
  if (claims.length === 0) return "";
  const [not, unsure, reproduced] = CLAIM_OUTCOMES.map((outcome) =>
    claims.filter((claim) => claim.outcome === outcome).length
  );
  return [
    `${reproduced} of ${counted(claims.length, "claim")} reproduced`,
    ...(not > 0 ? [`${not} not`] : []),
    ...(unsure > 0 ? [`${unsure} inconclusive${outOfReachText(claims)}`] : []),
  ].join(", ");
}

/** `✗ rate(a) > 2 × rate(b): not reproduced: rate is …`. */
export function claimLine({ claim, source, note, outcome, sentence }: JudgedClaim): string {
  const place = source === "" ? "" : ` (${source})`;
  const noted = note === "" ? "" : `; note: ${note}`;
  return `${MARKS[outcome]} ${claim}${place}: ${outcome}: ${sentence}${noted}`;
}

// The claims of an experiment, judged.

export interface ClaimsModel {
  readonly judged: readonly JudgedClaim[];
  /** `5 of 9 claims reproduced, 1 not, 3 inconclusive`; "" without claims. */
  readonly summary: string;
  /** Null without claims. */
  readonly table: Table | null;
}

/** @param scenarios Those of the results. */
export function claimsModel(
  scenarios: readonly ScenarioRuns[],
  results: Claimed & Grouped,
): ClaimsModel {
  const claims = results.experiment?.claims ?? [];
  if (claims.length === 0) return { judged: [], summary: "", table: null };
  const ground = contextOf(scenarios, results);
  const again = countingContexts(ground, results);
  const judged = claims.map((claim) => judgeClaim(claim, ground, again(claim)));
  return { judged, summary: claimsSummary(judged), table: claimsTable(judged) };
}

/** For scripts and results.json: with plain spaces. */
export function verdictsJson({ judged }: ClaimsModel): Verdicts {
  const plain = (text: string): string => text.replaceAll(GLUE, " ");
  return judged.map(({ isDecidable, found, held, sentence, doubt, ...claimed }) => ({
    ...claimed,
    ...(isDecidable ? {} : { isDecidable }),
    found: plain(found),
    held: plain(held),
    sentence: plain(sentence),
    doubt: plain(doubt),
  }));
}
