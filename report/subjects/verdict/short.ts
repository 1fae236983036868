/** Targets that do not do what was required, beside those that are ranked, or that refuse, as was expected: who, in what, and where. */
import { wrongResponsesOf } from "../../../runner/result/outcome.ts";
import type { Run } from "../../../runner/result/result.ts";
import { competing, type Shortfall, shortfallOf } from "../../judge/shortfall.ts";
import { shortfallText } from "../../findings/judgements.ts";
import { sum } from "../../writing/spread.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import { formatPercent } from "../../writing/units.ts";
import { counted, listedSome, unique } from "../../writing/words.ts";
import { inText, MOST_NAMED, type Place, whereText } from "./places.ts";

interface Short {
  readonly place: Place;
  readonly target: string;
  readonly short: Shortfall;
}

/**
 * `b responds wrongly to 90 % in upload, and falls short in static; 2 others fall short`, then with less of it. None where
 * all that were measured do what was required.
 */
export function shortTexts(places: readonly Place[]): string[] {
  const found = places.flatMap(shortIn);
  const [worst] = found.toSorted((a, b) => b.short.ratio - a.short.ratio);
  if (worst === undefined) return [];
  const targets = unique(found.map(({ target }) => target));
  const text = worstText(worst, found.filter(({ target }) => target === worst.target), places);
  const left = targets.length - 1;
  const others = left === 0 ? "" : `; ${fallShort(counted(left, "other"), left)}`;
  return [
    `${text}${others}`,
    fallShort(listedSome(targets, "and"), targets.length),
    fallShort(counted(targets.length, "target"), targets.length),
  ];
}

function shortIn(place: Place): Short[] {
  const { cells } = place.contest;
  const able = new Set(competing(cells).map(({ target }) => target));
  return cells.filter(({ target }) => !able.has(target)).flatMap((cell) => {
    const short = shortfallOf(cell);
    return short === null ? [] : [{ place, target: cell.target, short }];
  });
}

/** What it falls short by is said of the places where that is the same, beside the others. */
function worstText(worst: Short, own: readonly Short[], places: readonly Place[]): string {
  const textOf = ({ target, short }: Short): string => shortfallText({ ...short, label: target });
  const isAlike = (one: Short): boolean => textOf(one) === textOf(worst);
  const [alike, others] = [own.filter(isAlike), own.filter((one) => !isAlike(one))]
    .map((those) => those.map(({ place }) => place));
  const text = textOf(worst) + whereText(alike, places);
  if (others.length === 0) return text;
  const who = worst.short.kind === "dropped" ? `${worst.target} ` : "";
  const where = others.length > MOST_NAMED ? `in ${others.length} more` : inText(others);
  return `${text}, and ${who}falls short ${where}`;
}

function fallShort(who: string, count: number): string {
  return `${who} ${count === 1 ? "falls" : "fall"} short`;
}

type RefusedRuns = Pick<MeasuredRuns, "runs" | "experiment">;

/** With more the figures of a target are those of its refusals. */
const REFUSED_RATIO = 0.5;
/** From here on a share is no figure. */
const NEARLY_ALL = 0.995;

/**
 * ` Nearly all responses of a and b have status 429.`: they are right, as they were expected, but a refusal is quicker than
 * what it stands for. "" where nobody refuses most, but in scenarios that are of refusals.
 */
export function refusedText({ runs: all, experiment }: RefusedRuns): string {
  const runs = all.filter(({ scenario }) => !isOfRefusals(Object(experiment?.scenarios)[scenario]));
  const refused = [...Map.groupBy(runs, ({ target }) => target)].flatMap(([target, own]) =>
    refusedOf(own).map((share) => ({ target, ...share }))
  );
  return [...Map.groupBy(refused, ({ status }) => status)].map(([status, those]) => {
    const least = Math.min(...those.map(({ ratio }) => ratio));
    const share = least === 1
      ? "All"
      : least >= NEARLY_ALL
      ? "Nearly all"
      : `${formatPercent(least)} ${those.length > 1 ? "or more " : ""}of the`;
    const names = listedSome(those.map(({ target }) => target), "and");
    return ` ${share} responses of ${names} have status ${status}.`;
  }).join("");
}

/** Whether it expects a refusal and nothing else: then its figures are meant to be those of refusals. @param scenario As written. */
function isOfRefusals(scenario: unknown): boolean {
  const statuses = [Object(Object(scenario).expect).status].flat();
  return statuses.length === 1 && isRefusal(String(statuses[0]));
}

function isRefusal(status: string): boolean {
  return /^[45]/.test(status);
}

/** The status of most of its responses, where that is a refusal and right. */
function refusedOf(runs: readonly Run[]): { status: string; ratio: number }[] {
  if (sum(runs, wrongResponsesOf) > 0) return [];
  const completed = sum(runs, ({ requests }) => requests.completed);
  return unique(runs.flatMap(({ status }) => Object.keys(status)))
    .filter(isRefusal)
    .map((status) => ({ status, ratio: sum(runs, (run) => run.status[status] ?? 0) / completed }))
    .filter(({ ratio }) => ratio >= REFUSED_RATIO);
}
