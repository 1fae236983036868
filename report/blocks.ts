/**
 * The blocks of which a report is made. Each subject (a topic of the report, such as streams) writes its content as
 * blocks; a renderer knows how each kind of block looks in its form, and nothing about subjects. A block without
 * content is left out with its heading.
 */
import type { Trust } from "../runner/result/generator.ts";
import type { Flame } from "./subjects/profiles/flames.ts";
import type { Chart } from "./chart.ts";
import type { Table } from "./subjects/tables/table.ts";

/** How much of a page a reader wants to see; each depth includes the one before. */
export const DEPTHS = ["summary", "detail", "everything"] as const;
export type Depth = typeof DEPTHS[number];

/**
 * A form in which blocks are laid out for people. CSV, JUnit and other files for programs read figures and outcomes
 * instead.
 */
export const FORMS = ["page", "terminal", "markdown"] as const;
export type Form = typeof FORMS[number];

export type Block =
  | Text
  | List
  | Facts
  | TableBlock
  | Figure
  | Flames
  | Alternatives
  | Verbatim
  | Group;

interface OfForms {
  /** The forms that show the block. Default: by its depth, see `FORMS_AT`. */
  readonly forms?: readonly Form[];
}

/** A finding: programs and tests read its code; its text is written once, in the catalogue of findings. */
export interface Finding {
  readonly code: string;
  /** Complete sentences, with code between backticks. */
  readonly text: string;
  /** The outcome of a judgement, which decides its colour in a terminal. */
  readonly outcome?: "good" | "bad" | "open";
}

export interface Text extends Finding, OfForms {
  readonly kind: "text";
  /** "reading": explains how to read the block above, and is folded up on the page. */
  readonly tone: "plain" | "verdict" | "note" | "warning" | "reading";
}

/** Findings shown together: a list, or a paragraph if there is only one. */
export interface List extends OfForms {
  readonly kind: "list";
  /** Heading above the list; "" for none. */
  readonly title: string;
  readonly items: readonly Finding[];
  /** If set, the page folds the list up below its title, in the colour of this level of trust; absent: not folded. */
  readonly fold?: Trust;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** Makes facts of labels with their texts; a label with an empty text is left out. */
export function factsFrom(facts: readonly (readonly [label: string, text: string])[]): Fact[] {
  return facts.flatMap(([label, text]) => text === "" ? [] : [{ label, text }]);
}

export interface Facts extends OfForms {
  readonly kind: "facts";
  readonly facts: readonly Fact[];
}

export interface TableBlock extends OfForms {
  readonly kind: "table";
  readonly table: Table;
  /** False if a heading above says the same, so that the caption is for screen readers only. */
  readonly isCaptioned: boolean;
  /** Label that opens a table which is folded up on the page; null: the table is open. */
  readonly fold: string | null;
  /** The outcome of each row, by which a reader shows and hides rows; absent: rows can't be hidden. */
  readonly outcomes?: readonly { readonly outcome: string; readonly label: string }[];
}

export interface Series {
  readonly label: string;
  readonly color: number;
}

export interface Panel {
  readonly chart: Chart;
  /** Title above the chart; absent: the name of its target, or nothing. */
  readonly title?: string;
  /** The target to which the panel belongs; absent if it is about several. */
  readonly of?: Series;
}

/** Charts that are read together, with what they show and how to read them. */
export interface Figure extends OfForms {
  readonly kind: "figure";
  /** Name of the figure within its section, by which the page's client finds it; "" for none. */
  readonly id: string;
  /** Series with colours that all panels share; empty if each panel labels its own. */
  readonly legend: readonly Series[];
  /** Meanings of the dots' shapes, in the order of their numbers; empty if all dots are alike. */
  readonly marks: readonly string[];
  readonly panels: readonly Panel[];
  readonly findings: readonly Finding[];
  /** How to read the figure, for readers who are new to this kind. */
  readonly reading: string;
  /** The numbers of the charts, folded up; null if a table beside the figure has them. */
  readonly values: Table | null;
}

/** Profiles as flame graphs, one shown at a time. */
export interface Flames extends OfForms {
  readonly kind: "flames";
  /** Name of the scenario or cell to which the profiles belong. */
  readonly of: string;
  readonly flames: readonly Flame[];
}

/** Blocks that a reader of the page can replace by other blocks, such as comparisons with another base. */
export interface Alternatives extends OfForms {
  readonly kind: "alternatives";
  /** Label of the choice, such as `Compare with`. */
  readonly label: string;
  /** Name of the blocks that the page shows at first. */
  readonly standard: string;
  readonly blocks: readonly Block[];
  /**
   * The other blocks, with figures of the same ids. Made only for a page, because their cost grows with their number.
   */
  readonly others: () => readonly { readonly name: string; readonly blocks: readonly Block[] }[];
}

/** Text of a file or a program, shown literally. */
export interface Verbatim extends OfForms {
  readonly kind: "verbatim";
  readonly text: string;
  readonly fold: string | null;
}

export interface Group extends OfForms {
  readonly kind: "group";
  /** The name of the group in addresses of the page; "" for none. */
  readonly id: string;
  /** Heading of the group; "" for none. */
  readonly title: string;
  /** Code shown beside the heading, such as the request of a scenario; "" for none. */
  readonly aside: string;
  readonly depth: Depth;
  /** "beside": a chart beside its table; "halves": two columns; "panels": as many columns as there is room for. */
  readonly layout: "stack" | "beside" | "halves" | "panels";
  readonly blocks: readonly Block[];
}

export function text(code: string, text: string, tone: Text["tone"] = "plain"): Text {
  return { kind: "text", code, text, tone };
}

export function list(
  items: readonly Finding[],
  options: Partial<Omit<List, "kind" | "items">> = {},
): List {
  return { kind: "list", title: "", items, ...options };
}

export function table(
  table: Table,
  options: Partial<Omit<TableBlock, "kind" | "table">> = {},
): TableBlock {
  return { kind: "table", table, isCaptioned: false, fold: null, ...options };
}

export function figure(
  panels: readonly Panel[],
  options: Partial<Omit<Figure, "kind" | "panels">>,
): Figure {
  return {
    kind: "figure",
    id: "",
    panels,
    legend: [],
    marks: [],
    findings: [],
    reading: "",
    values: null,
    ...options,
  };
}

export function group(
  title: string,
  blocks: readonly Block[],
  options: Partial<Omit<Group, "kind" | "title" | "blocks">> = {},
): Group {
  return {
    kind: "group",
    id: "",
    title,
    aside: "",
    depth: "summary",
    layout: "stack",
    blocks,
    ...options,
  };
}

/** The blocks without their empty parts, and without blocks of which nothing is left. */
export function prunedAll(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block): Block[] => {
    switch (block.kind) {
      case "text":
      case "verbatim":
        return block.text === "" ? [] : [block];
      case "list": {
        const items = block.items.filter(({ text }) => text !== "");
        return items.length === 0 ? [] : [{ ...block, items }];
      }
      case "facts":
        return block.facts.length === 0 ? [] : [block];
      case "table":
        return block.table.rows.length === 0 ? [] : [block];
      case "figure": {
        const findings = block.findings.filter(({ text }) => text !== "");
        return block.panels.length === 0 ? [] : [{ ...block, findings }];
      }
      case "flames":
        return block.flames.length === 0 ? [] : [block];
      case "alternatives":
      case "group": {
        const inner = prunedAll(block.blocks);
        return inner.length === 0 ? [] : [{ ...block, blocks: inner }];
      }
    }
  });
}

/**
 * The blocks that a form shows, without headings that have nothing below them.
 * @param depth Depth of the part that contains the blocks.
 */
export function shownIn(form: Form, blocks: readonly Block[], depth: Depth = "summary"): Block[] {
  return prunedAll(blocks.flatMap((block): Block[] => {
    const own = block.kind === "group" ? deeper(depth, block.depth) : depth;
    if ("blocks" in block) return [{ ...block, blocks: shownIn(form, block.blocks, own) }];
    if (form !== "page" && !isText(block)) return [];
    return (block.forms ?? FORMS_AT[own]).includes(form) ? [block] : [];
  }));
}

/**
 * The blocks without repetitions: of groups with the same heading, only the first keeps it, and each note below a table
 * is kept only once.
 * @param title The heading that only the first of its groups keeps; null: all groups keep theirs.
 */
export function saidOnce(blocks: readonly Block[], title: string | null): Block[] {
  const said = new Set<string>();
  const isNew = (text: string): boolean => !said.has(text) && said.add(text) !== null;
  const once = (block: Block): Block => {
    if (block.kind === "table") {
      const notes = block.table.notes.filter(isNew);
      return { ...block, table: { ...block.table, notes } };
    }
    if (!("blocks" in block)) return block;
    const isHeaded = block.kind !== "group" || block.title !== title || isNew(title);
    const head = isHeaded ? {} : { title: "", aside: "" };
    return { ...block, ...head, blocks: block.blocks.map(once) };
  };
  return blocks.map(once);
}

/** Whether the block holds anything besides charts and parts that are folded up. */
function isText(block: Block): boolean {
  if (block.kind === "figure") return block.findings.length > 0;
  return block.kind === "table" || block.kind === "verbatim" ? block.fold === null : true;
}

const FORMS_AT: Readonly<Record<Depth, readonly Form[]>> = {
  summary: FORMS,
  detail: ["page", "markdown"],
  everything: ["page"],
};

/**
 * The shallowest depth of some blocks.
 *
 * @param depth Depth of blocks that are not groups.
 */
export function depthOf(blocks: readonly Block[], depth: Depth): Depth {
  const depths = blocks.map((block) => block.kind === "group" ? deeper(depth, block.depth) : depth);
  return DEPTHS.find((one) => depths.includes(one)) ?? depth;
}

function deeper(one: Depth, other: Depth): Depth {
  return DEPTHS[Math.max(DEPTHS.indexOf(one), DEPTHS.indexOf(other))];
}
