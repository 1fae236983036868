/**
 * A subject: something that a report has to say, in a file of its own. It sees results, cells and judgements, but no
 * renderer.
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

/** A subject's place in a document; a function makes several groups, one for each scenario. */
export type Subject<Context> =
  | readonly [
    /** The name in addresses that lead to the subject on the page. */
    id: string,
    /** The subject's heading, and its link in the navigation. */
    title: string,
    depth: Depth,
    /** Builds the blocks; none if there is nothing to say, and then no heading or link either. */
    build: (context: Context) => readonly Block[],
  ]
  | ((context: Context) => readonly Group[]);

/** Groups of subjects, in the order of the page, each at the shallowest depth of its blocks. */
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
  /** When latency is stable: when half of the medians are stable, and when all of them are. */
  readonly brief: string;
  readonly blocks: readonly Block[];
}

/** The data from which the report of one experiment is made. */
export interface ReportContext {
  readonly results: MeasuredRuns;
  /** The results with which thresholds compare; null if there are none. */
  readonly baseline: Grouped | null;
  readonly claims: readonly JudgedClaim[];
  readonly gates: readonly GateOutcome[];
  /** Scenarios and their cells, in the order of the experiment file. */
  readonly asWritten: readonly ScenarioRuns[];
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly scenarios: readonly ScenarioContext[];
  /** Runs in the order of measurement; figures leave out the part that the experiment discards. */
  readonly runs: readonly Run[];
  /** Null if no latency was ever far from its final value. */
  readonly settling: Settling | null;
  /** Other bases with which the page can compare, in place of the experiment's. */
  readonly bases: () => readonly OtherBase[];
  /** Every scenario at a glance; null for a single column, which says no more than its bars. */
  readonly matrix: Conclusion["matrix"];
}

export interface ScenarioContext {
  readonly name: string;
  /** `GET /static`, on one line; "" if the experiment does not say. */
  readonly request: string;
  /** How the scenario was loaded; "" if all scenarios were loaded alike. */
  readonly load: string;
  /** Cells, fastest first. */
  readonly cells: readonly CellRuns[];
  readonly compared: ScenarioComparison;
  /** Null for a single scenario, whose verdict is on the card, and if no run is valid. */
  readonly verdict: Verdict | null;
  /** The terminal, if it has room for the distributions of all cells of the experiment. */
  readonly roomy: readonly Form[];
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly results: MeasuredRuns;
}
