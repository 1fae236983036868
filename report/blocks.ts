/**
 * The blocks that make up a report. Each subject (a topic of the report, such as streams) writes its content as blocks.
 * A renderer lays the blocks out in one form (page, terminal or Markdown): it knows how each kind of block looks in
 * that form, and knows nothing about subjects. A block without content is left out together with its heading.
 */
import type { Trust } from "../runner/result/generator.ts";
import type { Flame } from "./subjects/profiles/flames.ts";
import type { Chart } from "./chart.ts";
import type { Table } from "./subjects/tables/table.ts";

/** How much of a page a reader wants to see. Each depth includes those before it. */
export const DEPTHS = ["summary", "detail", "everything"] as const;
export type Depth = typeof DEPTHS[number];

/**
 * The forms in which blocks are laid out for people. CSV, JUnit and other files for programs are written from figures
 * and outcomes instead, not from blocks.
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
  /** The forms that show the block. If absent, they follow from the depth of its group: see `FORMS_AT`. */
  readonly forms?: readonly Form[];
}

/**
 * A finding in words. Programs and tests identify it by its code. Its text is written in only one place, the catalogue
 * of findings.
 */
export interface Finding {
  readonly code: string;
  /** Complete sentences, with code between backticks. */
  readonly text: string;
  /** The outcome of a judgement, which determines the colour of the text in a terminal. */
  readonly outcome?: "good" | "bad" | "open";
}

export interface Text extends Finding, OfForms {
  readonly kind: "text";
  /** "reading" explains how to read the block above, and is folded up on the page. */
  readonly tone: "plain" | "verdict" | "note" | "warning" | "reading";
}

/** Findings shown together: a list, or a paragraph if there is only one. */
export interface List extends OfForms {
  readonly kind: "list";
  /** Heading above the list; "" for none. */
  readonly title: string;
  readonly items: readonly Finding[];
  /** If set, the page folds the list up below its title, which has the colour of this level of trust. */
  readonly fold?: Trust;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** Makes facts from labels and texts. A label whose text is empty is left out. */
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
  /** False if a heading above already says what the caption says, so that the caption is only for screen readers. */
  readonly isCaptioned: boolean;
  /** If set, the table is folded up on the page below this label. */
  readonly fold: string | null;
  /** The outcome of each row, by which the reader can hide rows; absent if rows can't be hidden. */
  readonly outcomes?: readonly { readonly outcome: string; readonly label: string }[];
}

export interface Series {
  readonly label: string;
  readonly color: number;
}

export interface Panel {
  readonly chart: Chart;
  /** Title above the chart; if absent, the name of the panel's target, if it has one. */
  readonly title?: string;
  /** The target to which the panel belongs; absent if the panel is about several targets. */
  readonly of?: Series;
}

/** Charts that are read together, with findings and an explanation. */
export interface Figure extends OfForms {
  readonly kind: "figure";
  /** Name of the figure, unique within its section, by which the page's client finds it; "" for none. */
  readonly id: string;
  /** The series whose colours all panels share; empty if each panel labels its own series. */
  readonly legend: readonly Series[];
  /** The meaning of each shape of dots, in the order of `SCENARIO_MARKS`; empty if all dots have the same shape. */
  readonly marks: readonly string[];
  readonly panels: readonly Panel[];
  readonly findings: readonly Finding[];
  /** Explains how to read the figure, for readers who are new to this kind. */
  readonly reading: string;
  /** The numbers in the charts, folded up; null if a table beside the figure already has them. */
  readonly values: Table | null;
}

/** Profiles as flame graphs, of which one is shown at a time. */
export interface Flames extends OfForms {
  readonly kind: "flames";
  /** Name of the scenario or cell to which the profiles belong. */
  readonly of: string;
  readonly flames: readonly Flame[];
}

/** Blocks that the reader of the page can replace with others, such as comparisons with another base. */
export interface Alternatives extends OfForms {
  readonly kind: "alternatives";
  /** Label of the control, such as `Compare with`. */
  readonly label: string;
  /** Name of the option that the page shows first; its blocks are `blocks`. */
  readonly standard: string;
  readonly blocks: readonly Block[];
  /**
   * The blocks of the other options. Their figures have the same ids as those in `blocks`. Called only for a page,
   * because the cost grows with the number of options.
   */
  readonly others: () => readonly { readonly name: string; readonly blocks: readonly Block[] }[];
}

/** Text from a file or a program, shown verbatim. */
export interface Verbatim extends OfForms {
  readonly kind: "verbatim";
  readonly text: string;
  readonly fold: string | null;
}

export interface Group extends OfForms {
  readonly kind: "group";
  /** Identifies the group in the page's links; "" for none. */
  readonly id: string;
  /** Heading of the group; "" for none. */
  readonly title: string;
  /** Code shown beside the heading, such as the request of a scenario; "" for none. */
  readonly aside: string;
  readonly depth: Depth;
  /** "beside" puts a chart beside its table, "halves" makes two columns, and "panels" makes as many columns as fit. */
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

/** The blocks without their empty parts; blocks that become empty are removed. */
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
 * @param depth Depth of the group that contains the blocks.
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
 * The blocks without repetitions: a note below a table is kept only where it first occurs, and a heading only on the
 * first group that has it.
 * @param title The only heading that is treated this way. If null, all groups keep their headings.
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

/** False for a figure without findings, and for a table or verbatim text that is folded up: only a page shows these. */
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
 * The shallowest depth among the blocks.
 *
 * @param depth Depth of the blocks that are not groups.
 */
export function depthOf(blocks: readonly Block[], depth: Depth): Depth {
  const depths = blocks.map((block) => block.kind === "group" ? deeper(depth, block.depth) : depth);
  return DEPTHS.find((one) => depths.includes(one)) ?? depth;
}

function deeper(one: Depth, other: Depth): Depth {
  return DEPTHS[Math.max(DEPTHS.indexOf(one), DEPTHS.indexOf(other))];
}
