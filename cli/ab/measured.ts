/**
 * Measures a pair of revisions. Measures a cell (a target with a scenario and parameters) once more if it may be worse.
 * Reports the result in all requested formats.
 */
import { join } from "node:path";
import { existsSync } from "node:fs";
import {
  type ComparedCell,
  compareResults,
  figureOutcomes,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import {
  type Alarm,
  alarmsIn,
  doubtfulCells,
  lastRepetition,
  revisionSides,
  withFreshRuns,
} from "../../report/subjects/comparison/revisions.ts";
import { worstOf } from "../../report/judge/thresholds.ts";
import { figureInProse } from "../../report/findings/judgements.ts";
import { counted, unique } from "../../report/writing/words.ts";
import { textLines } from "../../report/writing/terminal.ts";
import type { AbInvocation } from "../../runner/result/invocation.ts";
import type { Results } from "../../runner/result/result.ts";
import { type Problem, UserError } from "../../base/errors.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import { hashSettings, openExperiment } from "../../runner/experiment/provenance.ts";
import { NoSlicesError } from "../../runner/slices/lengths.ts";
import { refusals } from "../../runner/experiment/earlier_runs.ts";
import { contradictions } from "../../runner/experiment/edited_results.ts";
import { lookAt } from "../experiment/looks.ts";
import { measurePairs } from "../experiment/pairs.ts";
import type { Planned } from "../experiment/plan.ts";
import { takesStdout, writeOutputs } from "../flags/output_flags.ts";
import { comparisonAnnotations } from "../github/annotations.ts";
import { reportToGithub } from "../github/step.ts";
import { COMPARISON_EXIT, comparisonForms } from "../output/comparison_formats.ts";
import { verifyResults, verifyTrust } from "../output/verify.ts";
import { aborted } from "../terminal/process.ts";
import { print, printError, terminalOptions } from "../terminal/terminal.ts";
import { readResumable } from "../results/reading.ts";
import type { AbValues } from "./flags.ts";
import type { PreparedPair } from "./prepared.ts";

interface AbContext {
  readonly values: AbValues;
  readonly outDir: string;
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
}

/** Resolves with the exit code. If nothing could be compared, throws the error that ends the command. */
export async function comparePaired(pair: PreparedPair, context: AbContext): Promise<number> {
  const { values, outDir, signal, onNote } = context;
  const kept = values.resume ? await keptIn(outDir) : null;
  const { planned, results } = await measuredFirst(kept, { pair, context });
  if (signal.aborted) return COMPARISON_EXIT.inconclusive;
  verifyResults(results, { hasMissing: !values.quiet });
  const first = compared(results, pair, values);
  // With slices, each interim check (a look) is strict enough that all of them together keep the
  // promised rate of false alarms. So doubtful cells need not be measured again.
  const isStaged = values.confirm && planned.experiment.order !== "slices";
  const doubtful = isStaged ? doubtfulCells(first) : [];
  const fresh = doubtful.length === 0 ? null : await freshRuns(
    doubtful,
    planned.seed + 1,
    { pair, context },
  );
  if (signal.aborted) return COMPARISON_EXIT.inconclusive;
  const all = fresh === null
    ? first
    : compared(withFreshRuns(results, fresh), pair, values, lastRepetition(results));
  // Thresholds are judged on the first runs only, because only cells that looked worse were
  // measured again.
  const outcome = worstOf([...figureOutcomes(all), ...first.gates]);
  const comparison = { ...all, gates: first.gates, outcome };
  onNote("");
  // The user can interrupt the command even while its output is blocked by the reader of a pipe.
  const delivery = deliver(comparison, alarmsIn(first, all), { pair, context });
  await Promise.race([delivery, aborted(signal)]);
  if (values.strict) verifyTrust(results.runs);
  return COMPARISON_EXIT[comparison.outcome];
}

interface First {
  readonly planned: Planned;
  readonly results: Results;
}

/**
 * Measures in the planned order. If that is slices (both sides at once, loaded alternately), but the first pair shows
 * that slices are impossible, measures in blocks (one side's process after the other) instead, unless --order asks for
 * slices.
 */
async function measuredFirst(kept: Results | null, delivery: Delivery): Promise<First> {
  const { pair, context: { values, outDir, onNote } } = delivery;
  const seed = values.seed ?? kept?.seed;
  const order = values.order ?? kept?.ab?.order;
  const planned = await pair.plan(values.only, seed, order);
  try {
    return { planned, results: await measured({ planned, kept }, outDir, delivery) };
  } catch (error) {
    if (!(error instanceof NoSlicesError)) throw error;
    onNote(`Measures in blocks: ${error.why}`);
    const inBlocks = await pair.plan(values.only, seed, "blocks");
    const results = await measured({ planned: inBlocks, kept: null }, outDir, delivery);
    return { planned: inBlocks, results };
  }
}

/** @param firstStage Number of the last repetition before doubtful cells were measured again; absent if none were. */
function compared(
  results: Results,
  { names, revisions }: PreparedPair,
  { margin, threshold }: AbValues,
  firstStage?: number,
): ResultsComparison {
  const { base, head } = revisionSides(results, names);
  return compareResults(base, head, {
    marginRatio: margin,
    thresholds: threshold,
    revisions,
    names: ["base", "head"],
    firstStage,
  });
}

/**
 * Measures the doubtful cells again, in as many blocks as before, but shuffled differently. Never called for a
 * comparison in slices, because that measures no cell a second time.
 */
async function freshRuns(
  doubtful: readonly ComparedCell[],
  seed: number,
  { pair, context }: Delivery,
): Promise<Results> {
  const { values, outDir, onNote } = context;
  onNote(`Measures once more what may be worse: ${counted(doubtful.length, "cell")}`);
  const only = {
    targets: unique(doubtful.map(({ match }) => match.next.target)),
    scenarios: unique(doubtful.map(({ scenario }) => scenario)),
  };
  const folder = join(outDir, "confirmation");
  const kept = values.resume ? await keptIn(folder) : null;
  const planned = await pair.plan(only, seed, "blocks");
  return await measured({ planned, kept }, folder, { pair, context });
}

/** Carries out all planned runs, except those that were kept from an interrupted `ab`. */
async function measured(
  { planned, kept }: { readonly planned: Planned; readonly kept: Results | null },
  outDir: string,
  { pair, context: { values, signal } }: Delivery,
): Promise<Results> {
  if (kept !== null) checkResumable(kept, planned, outDir);
  if (kept?.state === "done") return kept;
  return await measurePairs(planned, outDir, {
    values,
    signal,
    kept,
    ab: invocationOf(pair, planned, values),
    needsSlices: values.order === undefined,
    ...isLooking(planned) && {
      look: (results: Results, done: number) => lookAt(() => compared(results, pair, values), done),
    },
  });
}

/**
 * Whether to measure until there is a verdict: the experiment is in slices, and the number of process pairs was not
 * given.
 */
function isLooking({ experiment: { order, repeat } }: Planned): boolean {
  return order === "slices" && typeof repeat !== "number";
}

function invocationOf(
  { again }: PreparedPair,
  { experiment }: Planned,
  { only, margin, confirm, threshold }: AbValues,
): AbInvocation {
  return {
    ...{ ...again, only, margin, confirm },
    order: experiment.order === "slices" ? "slices" : "blocks",
    threshold: threshold.map(({ text }) => text),
  };
}

interface Delivery {
  readonly pair: PreparedPair;
  readonly context: AbContext;
}

async function deliver(
  comparison: ResultsComparison,
  alarms: readonly Alarm[],
  { pair: { revisions }, context: { values, outDir } }: Delivery,
): Promise<void> {
  const forms = comparisonForms(comparison);
  const page = join(outDir, "comparison.html");
  const where = textLines([
    `base     ${revisions.base}`,
    `head     ${revisions.next}`,
    ...alarms.map(alarmText),
    `Page     ${page}`,
    `Results  ${join(outDir, "results.json")}`,
  ], terminalOptions());
  const show = async (): Promise<void> => {
    if (!takesStdout(values)) await print(forms.summary(), where);
    else if (!values.quiet) printError(where);
  };
  await writeOutputs(values, forms, { page }).finally(show);
  await reportToGithub({
    markdown: forms.markdown,
    annotations: () => comparisonAnnotations(comparison),
  });
}

function alarmText({ cell, figure, outcome, isStaged }: Alarm): string {
  const what = `${cell.name}: ${figureInProse(figure)}`;
  if (outcome === "fail") return `Worse    ${what}${isStaged ? ", in fresh runs, too" : ""}`;
  const all = outcome === "pass" ? "not worse" : "inconclusive";
  return `Doubtful ${what}, which is ${all} with the fresh runs`;
}

/** The results of an interrupted `ab` that is to be continued; null if the folder has none. */
async function keptIn(dir: string): Promise<Results | null> {
  return existsSync(join(dir, "results.json")) ? await readResumable(dir) : null;
}

/** Throws a UserError that lists every reason why new runs can't be added to the existing ones. */
function checkResumable(kept: Results, planned: Planned, dir: string): void {
  const isSame = hashSettings(openExperiment(planned.experiment)) === kept.settings &&
    kept.seed === planned.seed;
  const problems: Problem[] = [
    ...refusals(kept, { version: VERSION, machine: describeMachine() }),
    ...isSame ? contradictions(kept, planned) : [{
      place: dir,
      message: "Cannot resume: these results are of other commits, another file or other flags",
      fix: "use the original commits, file and flags, or choose another folder with --out",
    }],
  ];
  if (problems.length > 0) throw new UserError(problems);
}
