/** What a reader must know beside the verdict of an experiment, a sentence each. */
import { wrongResponsesOf } from "../../../runner/result/outcome.ts";
import type { Run } from "../../../runner/result/result.ts";
import { noteSentence } from "../../findings/card_sentences.ts";
import { comparisonOf } from "../../judge/comparison.ts";
import { competing, shortfallOf } from "../../judge/shortfall.ts";
import { NOTABLE_CHANGE } from "../../judge/standing.ts";
import { isAtLimit } from "../../figures/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import { boundText, formatMs, formatNumber } from "../../writing/units.ts";
import { sum } from "../../writing/spread.ts";
import { unique } from "../../writing/words.ts";
import type { SettlingModel } from "../charts/settling.ts";
import { stepScenarios } from "../steps/step_cells.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";
import type { Place } from "./places.ts";

/** What a lead costs, of one place: a longer tail, or more CPU for each request, where that is certain and notable. */
export function priceNotes(
  [place, ...others]: readonly Place[],
  [scenario]: readonly ScenarioComparison[],
): string[] {
  if (place === undefined || others.length > 0 || place.rival === null) return [];
  if (place.code !== "leads" && place.code !== "equivalent") return [];
  const cellOf = (name: string): CellRuns | undefined =>
    scenario.contests[0]?.ranked.find(({ target }) => target === name);
  const [first, rival] = [cellOf(place.first.name), cellOf(place.rival.name)];
  if (first === undefined || rival === undefined) return [];
  const comparison = scenario.lookup(rival, first);
  const priceIn = (figure: 99 | "cpuPerRequest", code: "longer-tail" | "more-cpu"): string[] => {
    const { verdict, ratio } = comparisonOf(comparison, figure);
    if (ratio === null || (verdict !== "worse" && verdict !== "better")) return [];
    const isRivals = verdict === "better";
    // The rival's price is no news where the first leads.
    if (isRivals && place.code === "leads") return [];
    const [target, other, times] = isRivals
      ? [rival.target, first.target, 1 / ratio]
      : [first.target, rival.target, ratio];
    return times < 1 + NOTABLE_CHANGE
      ? []
      : [noteSentence(code, { target, rival: other, ratio: times })];
  };
  const isTail = place.decision?.figure === "rate" && !isAtLimit(first);
  return [...isTail ? priceIn(99, "longer-tail") : [], ...priceIn("cpuPerRequest", "more-cpu")];
}

/** Targets that fall short beside those that are ranked: the worst with what it does. */
export function shortNotes(
  places: readonly Place[],
  scenarios: readonly ScenarioComparison[],
): string[] {
  const beside = places.filter(({ code }) => code !== "only" && code !== "none");
  if (beside.length === 0) return [];
  // One that was measured alone in a scenario may fall short there.
  const lone = scenarios.filter(({ contests }) => contests.length === 0)
    .flatMap(({ cells }) => cells.map(shortfallOf));
  const all = [...places.flatMap(({ short }) => short), ...lone.filter((short) => short !== null)];
  const [worst] = all.toSorted((a, b) => b.ratio - a.ratio);
  if (worst === undefined) return [];
  const others = unique(all.map(({ label }) => label)).filter((label) => label !== worst.label);
  return [
    noteSentence("short", {
      worst,
      places: all.filter(({ label }) => label === worst.label).length,
      of: places.length + lone.length,
    }),
    ...(others.length === 0 ? [] : [noteSentence("more-short", { targets: others })]),
  ];
}

/** Targets that a verdict leaves out, as their runs never settled. */
export function unsettledNotes(places: readonly Place[]): string[] {
  return [true, false].flatMap((isFaster) => {
    const targets = unique(
      places.filter(({ isUnsettledAhead }) => isUnsettledAhead === isFaster)
        .flatMap(({ unsettled }) => unsettled),
    );
    return targets.length === 0 ? [] : [noteSentence("unjudged", { targets, isFaster })];
  });
}

/** With more the figures of a target are those of its refusals. */
const REFUSED_RATIO = 0.5;

/** Right responses that are refusals, as was expected: a refusal is quicker than what it stands for. None in scenarios of refusals. */
export function refusedNotes({ runs: all, experiment }: MeasuredRuns): string[] {
  const runs = all.filter(({ scenario }) => !isOfRefusals(Object(experiment?.scenarios)[scenario]));
  const refused = [...Map.groupBy(runs, ({ target }) => target)].flatMap(([target, own]) =>
    refusedOf(own).map((share) => ({ target, ...share }))
  );
  return [...Map.groupBy(refused, ({ status }) => status)].map(([status, those]) =>
    noteSentence("refused", {
      targets: those.map(({ target }) => target),
      status,
      ratio: Math.min(...those.map(({ ratio }) => ratio)),
    })
  );
}

/** Whether it expects a refusal and nothing else. @param scenario As written. */
function isOfRefusals(scenario: unknown): boolean {
  const statuses = [Object(Object(scenario).expect).status].flat();
  return statuses.length === 1 && isRefusal(String(statuses[0]));
}

function isRefusal(status: string): boolean {
  return status.startsWith("4") || status.startsWith("5");
}

function refusedOf(runs: readonly Run[]): { status: string; ratio: number }[] {
  if (sum(runs, wrongResponsesOf) > 0) return [];
  const completed = sum(runs, ({ requests }) => requests.completed);
  return unique(runs.flatMap(({ status }) => Object.keys(status)))
    .filter(isRefusal)
    .map((status) => ({ status, ratio: sum(runs, (run) => run.status[status] ?? 0) / completed }))
    .filter(({ ratio }) => ratio >= REFUSED_RATIO);
}

/** Of a flow: its slowest step, where one target walks it alone. */
export function stepNotes(scenarios: readonly ScenarioComparison[]): string[] {
  const able = scenarios.length === 1 ? competing(scenarios[0].cells) : [];
  if (new Set(able.map(({ target }) => target)).size !== 1) return [];
  const best = able.toSorted((a, b) => b.rate.mean - a.rate.mean)[0];
  const steps = stepScenarios([{ name: "", cells: [best] }], {})
    .flatMap(({ name, cells: [{ latency }] }) =>
      latency.count === 0
        ? []
        : [{ name: name.slice(best.runs[0].scenario.length + 1), ...latency.percentile(50) }]
    )
    .toSorted((a, b) => b.value - a.value)
    .map(({ name, value, isAtLeast }) => ({ name, p50: boundText(formatMs(value), isAtLeast) }));
  return steps.length < 2
    ? []
    : [noteSentence("slowest-step", { slowest: steps[0], fastest: steps[steps.length - 1] })];
}

/** What the machine could, where it was measured. */
export function peakNotes({ peakThroughput }: MeasuredRuns): string[] {
  const { generator, redis } = peakThroughput ?? {};
  return [
    ...(generator ? [{ of: "a load worker", perSec: formatNumber(generator.perSec) }] : []),
    ...(redis ? [{ of: "Redis", perSec: formatNumber(redis.perSec) }] : []),
  ].map((peak) => noteSentence("peak", peak));
}

/** Of an experiment about settling times, as it holds published ones beside its own. */
export function settlingNotes(
  { experiment }: MeasuredRuns,
  settling: SettlingModel | null,
): string[] {
  const isAbout = [experiment?.published ?? []].flat().some(({ figure }) => figure === "stable");
  return isAbout && settling !== null ? [settling.brief] : [];
}
