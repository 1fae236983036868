/** A subject: something that a report has to say, one a file. It sees results, cells and judgements, and no renderer. */
import type { Block, Depth } from "../blocks.ts";
import type { CellRuns, Grouped, ScenarioRuns } from "../cells/cells.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import type { JudgedClaim } from "../judge/claims.ts";
import type { GateOutcome } from "../findings/gate_sentences.ts";
import type { ScenarioComparison } from "./verdict/compared_scenarios.ts";

export interface Subject<Context> {
  /** What addresses of the page name it by. */
  readonly id: string;
  /** Its heading, and its link in the navigation. */
  readonly title: string;
  readonly depth: Depth;
  /** Nothing to say: no blocks, and so no heading and no link. */
  readonly build: (context: Context) => readonly Block[];
}

/** What the report of one experiment is made of. */
export interface ReportContext {
  readonly results: MeasuredRuns;
  /** What thresholds compare with; null: nothing. */
  readonly baseline: Grouped | null;
  readonly claims: readonly JudgedClaim[];
  readonly gates: readonly GateOutcome[];
  /** Scenarios and their cells in the order of the experiment file. */
  readonly asWritten: readonly ScenarioRuns[];
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly scenarios: readonly ScenarioContext[];
}

export interface ScenarioContext {
  readonly name: string;
  /** `GET /static`, in a line; "" when the experiment does not say. */
  readonly request: string;
  /** How it was loaded; "" where all scenarios were loaded alike. */
  readonly load: string;
  /** From the fastest. */
  readonly cells: readonly CellRuns[];
  readonly compared: ScenarioComparison;
  /** Confidence level of the intervals. */
  readonly level: number;
  readonly results: MeasuredRuns;
}
