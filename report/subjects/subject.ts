/**
 * A subject is one thing that a report has to say. Each has a file of its own, which depends on results, cells and
 * judgements, but on no renderer.
 */
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
import type { GateOutcome } from "../findings/threshold_sentences.ts";
import type { JudgedClaim } from "../judge/claims.ts";
import type { Verdict } from "./verdict/card.ts";
import type { OtherBase, ScenarioComparison } from "./verdict/compared_scenarios.ts";

/** A subject with its place in a document, or a function that makes several groups, such as one for each scenario. */
export type Subject<Context> =
  | readonly [
    /** Names the subject in addresses that lead to it on the page. */
    id: string,
    /** The text of the subject's heading and of its link in the navigation. */
    title: string,
    depth: Depth,
    /** Builds the blocks. If there are none, the heading and the link are left out, too. */
    build: (context: Context) => readonly Block[],
  ]
  | ((context: Context) => readonly Group[]);

/** The groups of the subjects, in the order of the page. Each group has the depth of its shallowest block. */
export function groupsOf<Context>(
  subjects: readonly Subject<Context>[],
  context: Context,
): Group[] {
  return subjects.flatMap((subject) => {
    if (typeof subject === "function") return subject(context);
    const [id, title, depth, build] = subject;
    const blocks = prunedAll(build(context));
    return blocks.length === 0 ? [] : group(title, blocks, { id, depth: depthOf(blocks, depth) });
  });
}

export interface Settling {
  /**
   * A sentence on when latency becomes stable: the time after which half of the medians are stable, and the time after
   * which all are.
   */
  readonly brief: string;
  readonly blocks: readonly Block[];
}

/** The data from which the report of one experiment is made. */
export interface ReportContext {
  readonly results: MeasuredRuns;
  /** The results that thresholds compare with; null if there are none. */
  readonly baseline: Grouped | null;
  readonly claims: readonly JudgedClaim[];
  readonly gates: readonly GateOutcome[];
  /** Scenarios and their cells, in the order of the experiment file. */
  readonly asWritten: readonly ScenarioRuns[];
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly scenarios: readonly ScenarioContext[];
  /** Runs in the order of measurement, without the part that the experiment discards. */
  readonly runs: readonly Run[];
  /** Null if no latency was ever far from its final value. */
  readonly settling: Settling | null;
  /** Other bases that the page can compare with instead of the experiment's. */
  readonly bases: () => readonly OtherBase[];
  /** The matrix of all targets in all scenarios; null if it has a single column, which the bars already show. */
  readonly matrix: Conclusion["matrix"];
}

export interface ScenarioContext {
  readonly name: string;
  /** The request on one line, such as `GET /static`; "" if the experiment does not say what the request is. */
  readonly request: string;
  /** How the scenario was loaded; "" if all scenarios were loaded alike. */
  readonly load: string;
  /** Cells with the fastest first. */
  readonly cells: readonly CellRuns[];
  readonly compared: ScenarioComparison;
  /**
   * Null if there is only one scenario (whose verdict is on the card), if no verdict can be trusted, or if runs lack
   * the figure that the experiment names.
   */
  readonly verdict: Verdict | null;
  /** Contains "terminal" if a terminal has room for the distributions of all cells of the experiment. */
  readonly roomy: readonly Form[];
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly results: MeasuredRuns;
}
