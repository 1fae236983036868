/**
 * The content of a report about an experiment, a comparison of two results, or a history of several. Every form lays
 * out the same document.
 */
import type { Block, Group } from "./blocks.ts";
import type { CellRuns } from "./cells/cells.ts";
import type { PageTarget } from "./subjects/verdict/compared_scenarios.ts";
import type { CardModel } from "./subjects/verdict/conclusion.ts";

export interface Document {
  readonly kind: "experiment" | "comparison" | "trend";
  /** Name of the document in the navigation of a page with several. */
  readonly name: string;
  /** The question that the experiment asks, if any. */
  readonly title: string;
  /** Blocks before the verdict. */
  readonly lead: readonly Block[];
  /** The verdict; null if nothing is judged. */
  readonly card: CardModel | null;
  /** The content of the subjects, in the order of the page; a group without a title belongs to the head. */
  readonly groups: readonly Group[];
  /** Colours of the document's cells. */
  readonly colors: readonly number[];
  /** Targets to which a reader can narrow the page. */
  readonly targets: readonly PageTarget[];
  /** Scenarios whose intervals are in the page, for the sections s1, s2, … */
  readonly scenarios: readonly { readonly name: string; readonly cells: readonly CellRuns[] }[];
}
