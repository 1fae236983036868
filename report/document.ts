/**
 * The content of a report about an experiment, a comparison of two results, or a history of several results. Every form
 * lays out the same document.
 */
import type { Block, Group } from "./blocks.ts";
import type { CellRuns } from "./cells/cells.ts";
import type { PageTarget } from "./subjects/verdict/compared_scenarios.ts";
import type { CardModel } from "./subjects/verdict/conclusion.ts";

export interface Document {
  readonly kind: "experiment" | "comparison" | "trend";
  /** Name of the document in the navigation of a page that has several documents. */
  readonly name: string;
  /** The question that the experiment asks, or else its name. */
  readonly title: string;
  /** Blocks that come before the verdict. */
  readonly lead: readonly Block[];
  /** The verdict; null if nothing is judged. */
  readonly card: CardModel | null;
  /** The content of the subjects, in the order of the page. A group without a title belongs to the head of the page. */
  readonly groups: readonly Group[];
  /** Numbers of the colours of the document's cells. */
  readonly colors: readonly number[];
  /** Targets that the reader can show and hide. */
  readonly targets: readonly PageTarget[];
  /** Scenarios whose intervals the page contains; their sections are s1, s2, … in this order. */
  readonly scenarios: readonly { readonly name: string; readonly cells: readonly CellRuns[] }[];
}
