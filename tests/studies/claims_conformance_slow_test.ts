/**
 * Every claim of every built-in experiment against results in which it is true, false and undecidable, made from
 * what the claim says: a new claim is covered as soon as it is written.
 */
import assert from "node:assert/strict";
import { choiceOf, chosenCells } from "../../base/figures/cells.ts";
import { namesInCells, type SelectableCell } from "../../base/figures/selector.ts";
import { judgeClaims, type JudgedClaim } from "../../report/judge/claims.ts";
import {
  constantsOf,
  declaredPairs,
  pathsOf,
} from "../../report/subjects/method/declared_values.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import type { Results } from "../../runner/result/result.ts";
import type {
  Claim,
  ClaimSide,
  Compare,
  Correlation,
  FigureSide,
  Ratios,
  Relation,
  Within,
} from "../../scenarios/claims/claim.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { resultsFixture } from "../report/fixture.ts";
import { type Place, runsOf, type Wanted } from "./synthetic_runs.ts";

interface Study {
  readonly experiment: Results["experiment"];
  readonly cells: readonly SelectableCell[];
}

function studyOf(name: string): Study {
  const parsed = parseExperiment(experiments[name], `${name}.yaml`, { set: {} });
  const experiment: Results["experiment"] = JSON.parse(JSON.stringify(parsed));
  const declared = declaredPairs({ experiment });
  const cells = planCells(parsed).map(({ target, scenario, parameters }) => ({
    target,
    scenario,
    parameters,
    constants: constantsOf({ target, scenario }, declared),
  }));
  return { experiment, cells };
}

/** What is wanted of cells and of peaks for a claim to have an outcome. */
interface World {
  readonly cells: readonly { readonly cell: SelectableCell; readonly wanted: Wanted }[];
  readonly peaks: Readonly<Record<string, number>>;
}

const NO_CELLS: World = { cells: [], peaks: {} };

/** Whatever unit it has. */
const USUAL = 800;
/** Far enough from any limit. */
const FAR = 2;

function selected(
  { experiment, cells }: Study,
  { selector }: Pick<FigureSide, "selector">,
): SelectableCell[] {
  const { targets, scenarios, factors } = namesInCells(cells);
  const others = pathsOf(declaredPairs({ experiment }));
  const choice = choiceOf(selector, { targets, scenarios, factors, others });
  assert.ok("value" in choice, JSON.stringify(choice));
  const chosen = chosenCells(choice.value, cells);
  assert.ok(chosen.length > 0, `no cell is ${selector.text}`);
  return chosen;
}

/** Later parts say more than earlier ones. */
function together(...worlds: readonly World[]): World {
  const cells = new Map<SelectableCell, Wanted>();
  for (const { cell, wanted } of worlds.flatMap(({ cells }) => cells)) {
    cells.set(cell, { ...cells.get(cell), ...wanted });
  }
  return {
    cells: [...cells].map(([cell, wanted]) => ({ cell, wanted })),
    peaks: Object.assign({}, ...worlds.map(({ peaks }) => peaks)),
  };
}

function valued(study: Study, side: ClaimSide, value: number): World {
  if (side.kind === "quantity") return NO_CELLS;
  if (side.kind === "ceiling") return { cells: [], peaks: { [side.of]: value } };
  const cells = selected(study, side).map((cell) => ({ cell, wanted: { [side.figure]: value } }));
  return { cells, peaks: {} };
}

function factorOf(side: ClaimSide): number {
  return side.kind === "quantity" ? 1 : side.factor;
}

/** What the left side must be, times its factor, for the claim to be so. */
function leftValue(says: Compare | Within, right: number, isTrue: boolean): number {
  const unit = says.left.kind === "figure" ? says.left.unit : "perSec";
  if (says.kind === "within") {
    const off = isTrue ? 1 : 1 + 3 * says.toleranceRatio;
    return right * off > 1 && unit === "share" ? right / off : right * off;
  }
  const isAbove = says.relation.startsWith(">") === isTrue;
  if (unit !== "share") return isAbove ? right * FAR : right / FAR;
  return isAbove ? (right + 1) / 2 : right / 2;
}

function sidesWorld(study: Study, says: Compare | Within, isTrue: boolean): World {
  const { left, right } = says;
  if (left.kind === "quantity") throw new Error("write the figure of a claim first");
  const usual = right.kind === "figure" && right.unit === "share" ? 0.5 : USUAL;
  const base = right.kind === "quantity" ? right.value : usual * factorOf(right);
  const value = leftValue(says, base, isTrue) / factorOf(left);
  return together(valued(study, right, usual), valued(study, left, value));
}

/** Near enough for a mean and a median of the same requests. */
const APART = 1.25;

function ratiosWorld(study: Study, { left, relation, right }: Ratios, isTrue: boolean): World {
  const limit = right.of.factor / right.to.factor / (left.of.factor / left.to.factor);
  const times = relation.startsWith(">") === isTrue ? APART : 1 / APART;
  return together(
    ...[left.to, right.of, right.to].map((side) => valued(study, side, USUAL)),
    valued(study, left.of, USUAL * limit * times),
  );
}

/** Of cells in an order: the second figure grows with the first, falls, or does half of either. */
function correlationWorld(study: Study, says: Correlation, outcome: Outcome): World {
  const cells = selected(study, says);
  const others = says.other && selected(study, { selector: says.other });
  const grows = (relation: Relation): boolean => relation.startsWith(">");
  const wantedAt = (i: number): [Wanted, Wanted] => {
    const place = placeOf(i, cells.length, outcome, grows(says.relation));
    const [first, second] = says.figures;
    return [{ [first]: (i + 1) * SETTLING_STEP_MS }, { [second]: USUAL * (place + 1) }];
  };
  const worlds = cells.flatMap((cell, i) => {
    const [one, two] = wantedAt(i);
    const other = others?.find(({ target }) => target === cell.target) ?? cell;
    return [{ cell, wanted: one }, { cell: other, wanted: two }];
  });
  return together({ cells: worlds, peaks: {} });
}

const SETTLING_STEP_MS = 250;

function placeOf(i: number, cells: number, outcome: Outcome, isGrowing: boolean): number {
  if (outcome === "inconclusive") return i % 3 === 1 ? i : (i * 7 + 3) % cells;
  return (outcome === "reproduced") === isGrowing ? i : cells - 1 - i;
}

type Outcome = JudgedClaim["outcome"];

/** With the set-up that the claim was published of. */
function worldOf(study: Study, { says, given }: Claim, outcome: Outcome): World {
  const setUp = given?.says;
  const world = saidWorld(study, says, outcome);
  if (setUp === undefined) return world;
  assert.ok(setUp.kind === "compare");
  return together(world, sidesWorld(study, setUp, true));
}

function saidWorld(study: Study, says: Claim["says"], outcome: Outcome): World {
  const isTrue = outcome !== "not reproduced";
  switch (says.kind) {
    case "compare":
    case "within":
      return sidesWorld(study, says, isTrue);
    case "ratios":
      return ratiosWorld(study, says, isTrue);
    case "correlation":
      return correlationWorld(study, says, outcome);
    case "warmup": {
      const other = says.label === "flat" ? "warm-up" : "flat";
      const warmup = isTrue ? says.label : other;
      const cells = selected(study, says).map((cell) => ({ cell, wanted: { warmup } }));
      return { cells, peaks: {} };
    }
  }
}

const SEVERAL = 5;

function resultsOf(study: Study, { cells, peaks }: World, count: number): Results {
  const results = resultsFixture({ cells: [], machine: { cores: 64, allowedCores: 64 } });
  results.experiment = { ...study.experiment };
  results.runs = cells.flatMap(({ cell, wanted }) => {
    const { target, scenario } = cell;
    const place: Place = {
      target,
      scenario,
      parameters: JSON.parse(JSON.stringify(cell.parameters)),
    };
    return runsOf(place, wanted, count).map((run) => labelled(run, wanted));
  }).map((run, i) => ({ ...run, order: i + 1, load: { ...run.load, ...MOST_LOAD } }));
  results.peakThroughput = Object.fromEntries(
    Object.entries(peaks).map(([of, perSec]) => [of, {
      perSec,
      by: "a test",
      ...count > 1 && { rounds: [0.999, 1, 1.001].map((times) => perSec * times) },
    }]),
  );
  return results;
}

/** Longer and more patient than any condition asks for. */
const MOST_LOAD = { timeout: 60_000, durationS: 3_600 };

function labelled(run: Results["runs"][number], { warmup }: Wanted): Results["runs"][number] {
  if (typeof warmup !== "string") return { ...run, warmup: { label: "flat", steadyFromS: 0 } };
  const label = warmup === "warm-up" ? "warm-up" : "flat";
  return { ...run, warmup: { label, steadyFromS: 0 } };
}

function judged(results: Results, claim: Claim): JudgedClaim {
  results.experiment.claims = [claim];
  return judgeClaims(groupRuns(results), results)[0];
}

function assertOutcome(study: Study, claim: Claim, outcome: Outcome): void {
  const world = worldOf(study, claim, outcome);
  const isOpen = outcome === "inconclusive" && claim.says.kind !== "correlation";
  const found = judged(resultsOf(study, world, isOpen ? 1 : SEVERAL), claim);
  assert.equal(found.outcome, outcome, `${claim.text}: ${JSON.stringify(found.verdict)}`);
}

for (const name of Object.keys(experiments)) {
  const study = studyOf(name);
  for (const claim of study.experiment.claims ?? []) {
    Deno.test(`${name}: ${claim.text}: results that show it, refute it and leave it open`, () => {
      for (const outcome of ["reproduced", "not reproduced", "inconclusive"] as const) {
        assertOutcome(study, claim, outcome);
      }
    });
    if (claim.given === undefined) continue;
    Deno.test(`${name}: ${claim.text}: open either way where ${claim.given.text} is not so`, () => {
      for (const would of ["reproduced", "not reproduced"] as const) {
        const results = withoutSetUp(
          claim,
          resultsOf(study, worldOf(study, claim, would), SEVERAL),
        );
        const { outcome, doubt, isDecidable } = judged(results, {
          ...claim,
          given: unlike(claim),
        });
        assert.deepEqual([outcome, isDecidable], ["inconclusive", false]);
        assert.ok(doubt && ["given", "fewer-cores", "shorter-load"].includes(doubt.code));
      }
    });
    Deno.test(`${name}: ${claim.text}: its condition, ${claim.given.text}, is about the set-up`, () => {
      assert.deepEqual(figuresIn(claim.given?.says).filter((name) => !isOfSetUp(name)), []);
    });
  }
}

/** How far away a target is. Any other figure is of how it fares. */
function isOfSetUp(figure: string): boolean {
  return figure.startsWith("connect.");
}

function figuresIn(says: Claim["says"] | undefined): string[] {
  if (says === undefined) return [];
  assert.ok(says.kind === "compare");
  return [says.left, says.right].flatMap((side) => side.kind === "figure" ? [side.figure] : []);
}

function withoutSetUp({ given }: Claim, results: Results): Results {
  if (given?.cores !== undefined) results.machine.allowedCores = given.cores - 1;
  if (given?.load !== undefined) {
    const load = { timeout: given.load.leastMs - 1, durationS: (given.load.leastMs - 1) / 1_000 };
    results.runs = results.runs.map((run) => ({ ...run, load: { ...run.load, ...load } }));
  }
  return results;
}

/** Of a condition that is a claim its opposite. */
function unlike({ given }: Claim): Claim["given"] {
  return given?.says === undefined ? given : { text: "the opposite", says: never(given) };
}

/** Of the cells of the condition. */
function never({ says }: Pick<NonNullable<Claim["given"]>, "says">): Claim["says"] {
  assert.ok(says?.kind === "compare");
  const right = { kind: "quantity", text: "0", value: 0 } as const;
  return { kind: "compare", left: says.left, relation: "<", right };
}
