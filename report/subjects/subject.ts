/** A subject: something that a report has to say, one a file. It sees results, cells and judgements, and no renderer. */
import type { Conclusion } from "../../runner/result/conclusion.ts";
import type { Run } from "../../runner/result/result.ts";
import {
  type Block,
  type Depth,
  depthOf,
  type Form,
  type Group,
  group,
  prunedAll,
} from "../blocks.ts";
import type { CellRuns, Grouped, ScenarioRuns } from "../cells/cells.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import type { GateOutcome } from "../findings/gate_sentences.ts";
import type { JudgedClaim } from "../judge/claims.ts";
import type { Verdict } from "./verdict/card.ts";
import type { OtherBase, ScenarioComparison } from "./verdict/compared_scenarios.ts";

export interface Subject<Context> {
  /** The name in addresses that lead to it on the page. */
  readonly id: string;
  /** Its heading, and its link in the navigation. */
  readonly title: string;
  readonly depth: Depth;
  /** Nothing to say: no blocks, and so no heading and no link. */
  readonly build: (context: Context) => readonly Block[];
}

/** Groups of subjects in the order of the page; a function makes several: one a scenario. */
export function groupsOf<Context>(
  subjects: readonly (Subject<Context> | ((context: Context) => readonly Group[]))[],
  context: Context,
): Group[] {
  return subjects.flatMap((subject) =>
    typeof subject === "function" ? subject(context) : groupOf(subject, context) ?? []
  );
}

/** Its group, which is deeper than the subject says if all its blocks are; null if it has no blocks. */
export function groupOf<Context>(
  { id, title, depth, build }: Subject<Context>,
  context: Context,
): Group | null {
  const blocks = prunedAll(build(context));
  return blocks.length === 0 ? null : group(title, blocks, { id, depth: depthOf(blocks, depth) });
}

export interface Settling {
  /** For a question about the time until latency is stable: when half of the medians are stable, and when all are. */
  readonly brief: string;
  readonly blocks: readonly Block[];
}

/** The parts that the report of one experiment is made of. */
export interface ReportContext {
  readonly results: MeasuredRuns;
  /** The results that thresholds compare with; null if there are none. */
  readonly baseline: Grouped | null;
  readonly claims: readonly JudgedClaim[];
  readonly gates: readonly GateOutcome[];
  /** Scenarios and their cells in the order of the experiment file. */
  readonly asWritten: readonly ScenarioRuns[];
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly scenarios: readonly ScenarioContext[];
  /** Runs by position; figures leave out what the experiment discards. */
  readonly runs: readonly Run[];
  /** Null where no latency was ever far from where it ends. */
  readonly settling: Settling | null;
  /** Other bases that the page can compare with in place of the experiment's. */
  readonly bases: () => readonly OtherBase[];
  /** Every scenario at a glance, too; null of a single column, which says no more than its bars. */
  readonly matrix: Conclusion["matrix"];
}

export interface ScenarioContext {
  readonly name: string;
  /** `GET /static`, in a line; "" when the experiment does not say. */
  readonly request: string;
  /** How it was loaded; "" where all scenarios were loaded alike. */
  readonly load: string;
  /** Cells, from the fastest. */
  readonly cells: readonly CellRuns[];
  readonly compared: ScenarioComparison;
  /** Null for a single scenario, because the card has its verdict, and if no run is valid. */
  readonly verdict: Verdict | null;
  /** The terminal, where it has room for the distributions of all cells of the experiment. */
  readonly roomy: readonly Form[];
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly results: MeasuredRuns;
}
