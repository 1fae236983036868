/** What a reader must know in addition to an experiment's verdict, one sentence each. */
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import { isAtLimit } from "../figures/capacity.ts";
import { comparisonOf, NOTABLE_CHANGE } from "../judge/comparison.ts";
import type { ConditionDifference } from "../judge/differences.ts";
import type { DecidedPlan, Place } from "../judge/places.ts";
import { shortfallOf } from "../judge/shortfall.ts";
import { percentText, timesText } from "../writing/ratios.ts";
import { sum } from "../writing/spread.ts";
import { formatNumber } from "../writing/units.ts";
import { counted, listedSome, unique } from "../writing/words.ts";
import { worstFirst } from "./card_sentences.ts";
import { conditionText, shortfallText } from "./judgements.ts";

/**
 * Notes on the price of the lead, which is a longer tail or more CPU time per request. There are none unless the
 * experiment compares targets at only one place (a scenario with its settings). If two targets are equivalent, either
 * may have such a price. Only certain and notable differences are stated.
 */
export function priceNotes(
  [place, ...others]: readonly Place[],
  [{ contests: [contest], lookup }]: readonly DecidedPlan[],
): string[] {
  if (place === undefined || others.length > 0 || contest === undefined) return [];
  const isLead = place.code === "leads";
  if (!isLead && place.code !== "equivalent") return [];
  const [first, rival] = [place.first, place.rival].map((side) =>
    contest.ranked.find(({ target }) => target === side?.name)
  );
  if (first === undefined || rival === undefined) return [];
  const comparison = lookup(rival, first);
  return ([99, "cpuPerRequest"] as const).flatMap((figure) => {
    const { verdict, ratio } = comparisonOf(comparison, figure);
    const isDecided = verdict === "worse" || verdict === "better";
    // p99 is not a price if it decides the verdict itself, or if the rules of a capacity search
    // have determined it.
    const isPrice = figure !== 99 || (place.of === "rate" && !isAtLimit(first));
    if (ratio === null || !isDecided || !isPrice) return [];
    // If the first target certainly leads, a longer tail or more CPU time of its rival is not worth
    // a note.
    const isRivals = verdict === "better";
    const times = isRivals ? 1 / ratio : ratio;
    if (times < 1 + NOTABLE_CHANGE || (isRivals && isLead)) return [];
    const [{ target }, other] = isRivals ? [rival, first] : [first, rival];
    return [
      figure === 99
        ? `The p99 of ${target} is ${timesText(times)} that of ${other.target}.`
        : `${target} uses ${timesText(times)} as much CPU per request as ${other.target}.`,
    ];
  });
}

/**
 * A note on targets that are not ranked because they fall short of the requirements: which is the worst, and in what
 * way it falls short.
 */
export function shortNotes(places: readonly Place[], plans: readonly DecidedPlan[]): string[] {
  if (places.length === 0) return [];
  // A target without a rival in its scenario may fall short as well.
  const apart = plans.filter(({ contests }) => contests.length === 0);
  const lone = apart.flatMap(({ cells }) => cells.map(shortfallOf));
  const noun = lone.length > apart.length ? "setting" : places[0].noun;
  const all = [...places.flatMap(({ short }) => short), ...lone.filter((short) => short !== null)];
  const [worst] = worstFirst(all);
  if (worst === undefined) return [];
  const own = all.filter(({ label }) => label === worst.label).length;
  const of = places.length + lone.length;
  const others = unique(all.map(({ label }) => label)).filter((label) => label !== worst.label);
  return [
    `${shortfallText(worst)}${
      of === 1
        ? ""
        : ` in ${lone.length > 0 ? counted(own, noun) : `${own} of ${counted(of, noun)}`}`
    }, so it is not ranked${own === of ? "" : " there"}.`,
    ...(others.length === 0 ? [] : [
      `${listedSome(others, "and")} ${others.length === 1 ? "falls" : "fall"} short, too.`,
    ]),
  ];
}

/** A note on targets that the verdict leaves out because all of their runs were disturbed. */
export function invalidNotes(places: readonly Place[]): string[] {
  const own = places.filter(({ invalid }) => invalid.length > 0);
  const targets = unique(own.flatMap(({ invalid }) => invalid));
  const where = placesText(own, places);
  return targets.length === 0 ? [] : [
    `${where === "" ? "Every" : `${where}every`} run of ${
      listedSome(targets, "and")
    } was disturbed, so ${targets.length === 1 ? "it is" : "they are"} not ranked.`,
  ];
}

/** Where a note applies, such as `In orders and users, `; "" if it applies to all places. */
function placesText(own: readonly Place[], places: readonly Place[]): string {
  return own.length === places.length
    ? ""
    : `In ${listedSome(unique(own.map(({ name }) => name)), "and")}, `;
}

/** Notes on targets that the verdict leaves out because their runs never settled. */
export function unsettledNotes(places: readonly Place[]): string[] {
  return [true, false].flatMap((isFaster) => {
    const those = places.filter(({ isUnsettledAhead }) => isUnsettledAhead === isFaster);
    const targets = unique(those.flatMap(({ unsettled }) => unsettled));
    const own = those.filter(({ unsettled }) => unsettled.length > 0);
    const where = placesText(own, places);
    return targets.length === 0 ? [] : [
      `${where}${listedSome(targets, "and")} ${isFaster ? "ran ahead of the others but " : ""}${
        targets.length === 1 ? "has no steady state, so it is" : "have no steady state, so they are"
      } not judged.`,
    ];
  });
}

/** If a larger share of a target's responses are refusals, its figures mostly describe refusals. */
const REFUSED_RATIO = 0.5;
const NEARLY_ALL = 0.995;

/**
 * Notes on targets that refuse most requests (4xx, 5xx) although their scenario expects other responses, too. The
 * refusals count as correct, but are faster than real responses. There is no note for a scenario that expects only a
 * refusal.
 */
export function refusedNotes({ runs, experiment }: MeasuredRuns): string[] {
  const isRefusal = (status: unknown): boolean => /^[45]/.test(String(status));
  const isOfRefusals = (scenario: string): boolean => {
    const { expect } = Object(Object(experiment?.scenarios)[scenario]);
    const statuses = [Object(expect).status].flat();
    return statuses.length === 1 && isRefusal(statuses[0]);
  };
  const byTarget = Map.groupBy(
    runs.filter(({ scenario }) => !isOfRefusals(scenario)),
    ({ target }) => target,
  );
  const refused = [...byTarget].flatMap(([target, own]) => {
    if (sum(own, wrongResponsesOf) > 0) return [];
    const completed = sum(own, ({ requests }) => requests.completed);
    return unique(own.flatMap(({ status }) => Object.keys(status))).filter(isRefusal)
      .map((status) => ({
        ...{ target, status },
        ratio: sum(own, (run) => run.status[status] ?? 0) / completed,
      }))
      .filter(({ ratio }) => ratio >= REFUSED_RATIO);
  });
  return [...Map.groupBy(refused, ({ status }) => status)].map(([status, those]) => {
    const least = Math.min(...those.map(({ ratio }) => ratio));
    const share = least === 1
      ? "All"
      : least > NEARLY_ALL
      ? "Nearly all"
      : `${percentText(least)} of the`;
    const targets = listedSome(those.map(({ target }) => target), "and");
    return `${share} responses of ${targets} have status ${status}.`;
  });
}

/** The peak throughput of a load worker and of Redis on this machine, if it was measured. */
export function peakNotes({ peakThroughput }: MeasuredRuns): string[] {
  const { generator, redis } = peakThroughput ?? {};
  return [["a load worker", generator] as const, ["Redis", redis] as const].flatMap(([of, peak]) =>
    peak ? [`On this machine, ${of} peaks at ${formatNumber(peak.perSec)} requests/s.`] : []
  );
}

/**
 * A note that the compared cells send different responses, because a target that sends less may seem faster for that
 * reason alone.
 */
export function unlikeNotes(differences: readonly ConditionDifference[]): string[] {
  const [first, ...others] = unique(differences.map(conditionText));
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return [`The responses differ: ${first}${more}.`];
}
