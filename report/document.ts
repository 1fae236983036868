/** What a report says of an experiment, of two results compared with each other, or of several in time. Each form lays all of them out alike. */
import type { Block, Group } from "./blocks.ts";
import type { CellRuns } from "./cells/cells.ts";
import type { PageTarget } from "./subjects/verdict/compared_scenarios.ts";
import type { CardModel } from "./subjects/verdict/conclusion.ts";

export interface Document {
  readonly kind: "experiment" | "comparison" | "trend";
  /** Its name in the navigation of a page with several documents. */
  readonly name: string;
  /** The question, where there is one. */
  readonly title: string;
  /** Blocks before the verdict. */
  readonly lead: readonly Block[];
  /** The verdict; null where nothing is judged. */
  readonly card: CardModel | null;
  /** What subjects say, in the order of the page; one without a title belongs to the head. */
  readonly groups: readonly Group[];
  /** Colours of its cells. */
  readonly colors: readonly number[];
  /** Targets by which the page can be narrowed. */
  readonly targets: readonly PageTarget[];
  /** Scenarios whose intervals the page contains, for the sections s1, s2, … */
  readonly scenarios: readonly { readonly name: string; readonly cells: readonly CellRuns[] }[];
}
