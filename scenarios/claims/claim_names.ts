/** Whether what claims name is there: targets, scenarios and ceilings. Pure. */
import { type Claim, claimInResults, type FigureSide, type Side } from "./claim.ts";
import { choiceOf, factorsOf } from "../../base/figures/cells.ts";
import type { Names } from "../../base/figures/selector.ts";
import { didYouMean } from "../../base/suggest.ts";

/** The sections of an experiment that claims read; each may be wrong in every part, which is told of elsewhere. */
export interface Claiming {
  readonly claims?: unknown;
  readonly targets?: unknown;
  readonly scenarios?: unknown;
  readonly load?: unknown;
  readonly ceilings?: unknown;
}

/** What is wrong, where it stands. */
interface Misfit {
  readonly path: PropertyKey[];
  readonly message: string;
}

export function claimMisfits(given: Claiming): Misfit[] {
  const { claims, targets, scenarios, ceilings } = given;
  const names: Names = {
    targets: Object.keys(Object(targets)),
    scenarios: Object.keys(Object(scenarios)),
    factors: null,
  };
  if (names.targets.length === 0 || names.scenarios.length === 0) return [];
  const keys = factorKeys(given);
  const measured = Array.isArray(ceilings) ? ceilings.map(String) : [];
  return (Array.isArray(claims) ? claims : []).flatMap((one, index) => {
    const { data: claim } = claimInResults.safeParse(one);
    if (claim === undefined) return [];
    const messages = [
      ...selectorsOf(claim).flatMap((selector) => {
        const choice = choiceOf(selector, names);
        if ("problem" in choice) return [choice.problem];
        return factorsOf(choice.value).flatMap((path) => strangeFactor(path, keys));
      }),
      ...ceilingsOf(claim).filter((ceiling) => !measured.includes(ceiling)).map((ceiling) =>
        `Cannot claim something of ceiling(${ceiling}), which is not measured: add ceilings: [${ceiling}]`
      ),
    ];
    return [...new Set(messages)].map((message) => ({ path: ["claims", index], message }));
  });
}

/** Whatever has a value that could vary, as a claim may be of a value that only some parameters choose. */
function factorKeys({ targets, load, scenarios }: Claiming): string[] {
  const loads = Object.values(Object(scenarios)).map((scenario) => Object(scenario).load);
  return [...new Set([targets, load, ...loads].flatMap(keysWithin))];
}

function keysWithin(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysWithin(inner)]);
}

function strangeFactor(path: string, keys: readonly string[]): string[] {
  const key = path.slice(path.lastIndexOf(".") + 1);
  if (keys.includes(key)) return [];
  const fix = didYouMean(key, keys) ?? "name a key of load, or of set, env, cluster or proxy";
  return [`Cannot find a factor "${path}": ${fix}`];
}

function sidesOf({ says }: Claim): Side[] {
  return says.kind === "compare" || says.kind === "within" ? [says.left, says.right] : [];
}

function selectorsOf(claim: Claim): FigureSide["selector"][] {
  const { says } = claim;
  if (says.kind === "warmup" || says.kind === "correlation") return [says.selector];
  if (says.kind === "ratios") {
    return [says.left, says.right].flatMap(({ of, to }) => [of.selector, to.selector]);
  }
  return sidesOf(claim).flatMap((side) => side.kind === "figure" ? [side.selector] : []);
}

function ceilingsOf(claim: Claim): string[] {
  return sidesOf(claim).flatMap((side) => side.kind === "ceiling" ? [side.of] : []);
}
