/** The outcomes of claims in words, made only from what was found. Most are parts of sentences, without full stops. */
import type { Verdicts } from "../../runner/result/conclusion.ts";
import { CLAIM_OUTCOMES, type ClaimVerdict, type JudgedClaim } from "../judge/claims.ts";
import { type Absence, absenceText, foundWords, reasonText } from "../judge/reasons.ts";
import type { Evidence } from "../judge/rules.ts";
import { formatDuration, GLUE } from "../writing/units.ts";
import { MARKS } from "./threshold_sentences.ts";
import { counted, unique } from "../writing/words.ts";

/** What was found in the worst cell, with figures and units. If the outcome is in doubt, also why. */
export function claimSentence(judged: Pick<JudgedClaim, "verdict" | "doubt">): string {
  const { verdict, doubt } = judged;
  const sentence = verdictText(verdict);
  return doubt === null
    ? sentence
    : `${doubtText(doubt)}; as measured here, ${CLAIM_OUTCOMES[verdict.outcome]}: ${sentence}`;
}

function doubtText(doubt: NonNullable<JudgedClaim["doubt"]>): string {
  switch (doubt.code) {
    case "busy-machine":
      return reasonText(doubt);
    case "fewer-cores":
      return `the claim was published for a machine with at least ${doubt.least} cores, but this one has ${doubt.cores}`;
    case "shorter-load": {
      const [least, here] = [doubt.leastMs, doubt.ms].map((ms) => formatDuration(ms / 1_000));
      return doubt.term === "timeout"
        ? `the claim was published for a time-out of at least ${least}, but here the time-out is ${here}`
        : `the claim was published for a load of at least ${least}, but here the load lasts ${here}`;
    }
    case "given": {
      const { text, met } = doubt;
      return `the claim was published under the condition ${text}, which is ${
        CLAIM_OUTCOMES[met.outcome]
      } here (${verdictText(met)})`;
    }
  }
}

function verdictText({ worst, measured, holding, of, unmeasured }: ClaimVerdict): string {
  const missing = unmeasuredText(unmeasured);
  if (worst === null) return missing;
  const nearest = measured === "held" ? "the nearest" : "the worst";
  const own = findingText(worst);
  const found = of === 1 ? own : `holds in ${holding} of ${of} cells; ${nearest}: ${own}`;
  return missing === ""
    ? found
    : `${missing}; judged by the other cells, the claim is ${CLAIM_OUTCOMES[measured]}: ${found}`;
}

function findingText({ found, reason }: Evidence): string {
  const { text } = foundWords(found);
  return reason === null ? text : `${text}; ${reasonText(reason)}`;
}

/** Why the outcome is open, as part of a sentence; "" if it is decided. */
function openText({ doubt, verdict: { worst, unmeasured } }: JudgedClaim): string {
  if (doubt !== null) return doubtText(doubt);
  if (unmeasured.length > 0) return unmeasuredText(unmeasured);
  return worst === null || worst.reason === null ? "" : reasonText(worst.reason);
}

/** What was found in the worst cell, such as `2.14× [2.01, 2.28]`; "" if nothing was found. */
export function claimFound({ worst }: ClaimVerdict): string {
  return worst === null ? "" : foundWords(worst.found).brief;
}

/** In how many cells the claim holds, such as `7 of 9 cells`; "" if it is about a single cell. */
export function claimHeld({ holding, of }: ClaimVerdict): string {
  return of < 2 ? "" : `${holding} of ${of} cells`;
}

/** The most cells that are named. These suffice to understand which cells are meant; a claim may cover hundreds. */
const MOST_NAMED = 6;

/** For example `static, gin; static, flask and 3 more were not measured: left out by --only`. */
function unmeasuredText(absences: readonly Absence[]): string {
  const cells = absences.filter((one) => one.code === "cell-not-measured");
  const others = absences.filter(({ code }) => code !== "cell-not-measured").map(absenceText);
  const byReason = [...Map.groupBy(cells, ({ why }) => why)].map(([why, group]) => {
    const names = unique(group.map(({ cell }) => cell));
    const more = names.length - MOST_NAMED;
    const named = names.slice(0, MOST_NAMED).join("; ") + (more > 0 ? ` and ${more} more` : "");
    return `${named} ${names.length === 1 ? "was" : "were"} not measured: ${why}`;
  });
  return unique([...byReason, ...others]).join("; ");
}

// Judged claims as lines of text, as counts in a sentence, and as JSON.

/** For example `✗ rate(hono) > 2 × rate(express): not reproduced: rate is …`. */
export function claimLine(judged: JudgedClaim): string {
  const { claim: { text, source = "", note = "" }, outcome } = judged;
  return `${MARKS[outcome]} ${text}${source && ` (${source})`}: ${outcome}: ${
    claimSentence(judged)
  }${note && `; note: ${note}`}`;
}

/** For example `The latency drops over the first seconds: reproduced, 0.46× [0.41, 0.53].` */
export function claimBrief({ claim: { text, source }, outcome, verdict }: JudgedClaim): string {
  const found = claimFound(verdict);
  return `${source ?? text}: ${outcome}${found && `, ${found}`}.`;
}

/**
 * For example `✓ 13 reproduced` or `? 5 inconclusive (2 cannot be decided in this set-up)`.
 * @param claims Claims with the same outcome; at least one.
 */
export function claimGroupText(claims: readonly JudgedClaim[]): string {
  const [{ outcome }] = claims;
  return `${MARKS[outcome]}${GLUE}${claims.length} ${outcome}${outOfReachText(claims)}`;
}

function outOfReachText(claims: readonly JudgedClaim[]): string {
  const count = claims.filter(({ isDecidable }) => !isDecidable).length;
  return count === 0 ? "" : ` (${count} cannot be decided in this set-up)`;
}

/**
 * For example `5 of 9 claims reproduced, 1 not, 3 inconclusive (2 cannot be decided in this set-up)`; "" if there are
 * no claims.
 */
export function claimsSummary(claims: readonly JudgedClaim[]): string {
  if (claims.length === 0) return "";
  const [not, unsure, reproduced] = (["broken", "inconclusive", "held"] as const).map((outcome) =>
    claims.filter((claim) => claim.outcome === CLAIM_OUTCOMES[outcome]).length
  );
  return [
    `${reproduced} of ${counted(claims.length, "claim")} reproduced`,
    ...(not > 0 ? [`${not} not`] : []),
    ...(unsure > 0 ? [`${unsure} inconclusive${outOfReachText(claims)}`] : []),
  ].join(", ");
}

/** The verdicts of claims for results.json. Non-breaking spaces are replaced with plain ones. */
export function verdictsJson(claims: readonly JudgedClaim[]): Verdicts {
  const plain = (text: string): string => text.replaceAll(GLUE, " ");
  return claims.map((judged) => {
    const { claim: { text, source = "", note = "" }, outcome, verdict, isDecidable } = judged;
    return {
      claim: text,
      source,
      note,
      ...(isDecidable ? {} : { isDecidable }),
      outcome,
      found: plain(claimFound(verdict)),
      held: plain(claimHeld(verdict)),
      sentence: plain(claimSentence(judged)),
      doubt: plain(openText(judged)),
    };
  });
}
