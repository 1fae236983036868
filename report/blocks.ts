/**
 * What a report is made of. Subjects say what there is to say in blocks; a renderer knows how each kind of block looks
 * in its form, and nothing about subjects. A block without content is left out with its heading.
 */
import type { Trust } from "../runner/result/generator.ts";
import type { Flame } from "./subjects/profiles/flames.ts";
import type { Chart } from "./chart.ts";
import type { Table } from "./subjects/tables/table.ts";

/** How much of a page a reader wants to see; each shows what the one before shows, and more. */
export const DEPTHS = ["summary", "detail", "everything"] as const;
export type Depth = typeof DEPTHS[number];

/** What lays out blocks for people. CSV, JUnit and other files for programs read figures and outcomes instead. */
export type Form = "page" | "terminal" | "markdown";

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
  /** Default: the page; markdown, unless it is of the depth "everything"; a terminal, if it is of the depth "summary". */
  readonly forms?: readonly Form[];
}

/** A finding: its code is what programs and tests read, its text is made once, in the findings' catalogue. */
export interface Finding {
  readonly code: string;
  /** Complete sentences. What stands between backticks is code. */
  readonly text: string;
  /** The outcome of a judgement, which decides its colour in a terminal. */
  readonly outcome?: "good" | "bad" | "open";
}

export interface Text extends Finding, OfForms {
  readonly kind: "text";
  /** "reading": how to read what is above it, folded up on the page. */
  readonly tone: "plain" | "verdict" | "note" | "warning" | "reading";
}

/** Findings beside each other: a list, or a paragraph where there is only one. */
export interface List extends OfForms {
  readonly kind: "list";
  /** Heading above the list; "" for none. */
  readonly title: string;
  readonly items: readonly Finding[];
  /** Folded up on the page below its title, in the colour of a level of trust; absent: open. */
  readonly fold?: Trust;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

export interface Facts extends OfForms {
  readonly kind: "facts";
  readonly facts: readonly Fact[];
}

export interface TableBlock extends OfForms {
  readonly kind: "table";
  readonly table: Table;
  /** False where a heading above says the same; the caption is then for screen readers alone. */
  readonly isCaptioned: boolean;
  /** What opens the table, which is folded up on the page; null: it is open. */
  readonly fold: string | null;
  /** One a row, by which a reader shows and hides rows; absent: nothing. */
  readonly outcomes?: readonly { readonly outcome: string; readonly label: string }[];
}

export interface Series {
  readonly label: string;
  readonly color: number;
}

export interface Panel {
  readonly chart: Chart;
  /** Above the chart; absent: the name of its target, or nothing. */
  readonly title?: string;
  /** The target that it belongs to; absent: several, or all. */
  readonly of?: Series;
}

/** Charts that are read together, with what they show and how to read them. */
export interface Figure extends OfForms {
  readonly kind: "figure";
  /** Its name within its section, by which the page's client finds it; "" for none. */
  readonly id: string;
  /** Colours of the series that all panels share; none where each panel says its own. */
  readonly legend: readonly Series[];
  /** What the signs of its dots stand for, in the order of their numbers; none where all are alike. */
  readonly marks: readonly string[];
  readonly panels: readonly Panel[];
  readonly findings: readonly Finding[];
  /** How to read it, for readers who see its kind for the first time. */
  readonly reading: string;
  /** The charts' numbers, folded up; null where a table beside the figure has them. */
  readonly values: Table | null;
}

/** Profiles as flame graphs, one shown at a time. */
export interface Flames extends OfForms {
  readonly kind: "flames";
  /** Name of the scenario or cell whose profiles these are. */
  readonly of: string;
  readonly flames: readonly Flame[];
}

/** Blocks, and others that a reader of the page can put in their place. */
export interface Alternatives extends OfForms {
  readonly kind: "alternatives";
  /** Label of the choice: `Compare with`. */
  readonly label: string;
  /** What the blocks that come with the page are called. */
  readonly standard: string;
  readonly blocks: readonly Block[];
  /** Figures of the same ids; made when the page is, as they cost the more the more there are. */
  readonly others: () => readonly { readonly name: string; readonly blocks: readonly Block[] }[];
}

/** Text of a file or a program, as it is. */
export interface Verbatim extends OfForms {
  readonly kind: "verbatim";
  readonly text: string;
  readonly fold: string | null;
}

export interface Group extends OfForms {
  readonly kind: "group";
  /** What an address of the page names it by; "" for none. */
  readonly id: string;
  /** Its heading; "" for none. */
  readonly title: string;
  /** Beside the heading, as code: the request of a scenario; "" for none. */
  readonly aside: string;
  readonly depth: Depth;
  /** Below each other; a chart beside its table; two halves; or as many beside each other as there is room for. */
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

/** The block without what is empty in it; null where nothing is left. */
export function pruned(block: Block): Block | null {
  switch (block.kind) {
    case "text":
    case "verbatim":
      return block.text === "" ? null : block;
    case "list": {
      const items = block.items.filter(({ text }) => text !== "");
      return items.length === 0 ? null : { ...block, items };
    }
    case "facts":
      return block.facts.length === 0 ? null : block;
    case "table":
      return block.table.rows.length === 0 ? null : block;
    case "figure": {
      const findings = block.findings.filter(({ text }) => text !== "");
      return block.panels.length === 0 ? null : { ...block, findings };
    }
    case "flames":
      return block.flames.length === 0 ? null : block;
    case "alternatives":
    case "group": {
      const blocks = prunedAll(block.blocks);
      return blocks.length === 0 ? null : { ...block, blocks };
    }
  }
}

export function prunedAll(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => pruned(block) ?? []);
}

/**
 * The blocks that a form shows, without headings that have nothing below them. @param depth Depth of the part that they
 * stand in.
 */
export function shownIn(form: Form, blocks: readonly Block[], depth: Depth = "summary"): Block[] {
  return prunedAll(blocks.flatMap((block): Block[] => {
    if (block.kind === "alternatives") {
      return [{ ...block, blocks: shownIn(form, block.blocks, depth) }];
    }
    const own = block.kind === "group" ? deeper(depth, block.depth) : depth;
    if (block.kind === "group") return [{ ...block, blocks: shownIn(form, block.blocks, own) }];
    if (form !== "page" && !isText(block)) return [];
    return (block.forms ?? FORMS_AT[own]).includes(form) ? [block] : [];
  }));
}

/**
 * The blocks without what stands in them already: the heading of groups that are all of one thing, and notes below tables.
 * @param title The heading that one group keeps; null: all keep theirs.
 */
export function saidOnce(blocks: readonly Block[], title: string | null): Block[] {
  const said = new Set<string>();
  const isNew = (text: string): boolean => !said.has(text) && said.add(text) !== null;
  const once = (block: Block): Block => {
    switch (block.kind) {
      case "table": {
        const notes = block.table.notes.filter(isNew);
        return { ...block, table: { ...block.table, notes } };
      }
      case "alternatives":
        return { ...block, blocks: block.blocks.map(once) };
      case "group": {
        const isHeaded = block.title !== title || isNew(title);
        const head = isHeaded ? {} : { title: "", aside: "" };
        return { ...block, ...head, blocks: block.blocks.map(once) };
      }
      default:
        return block;
    }
  };
  return blocks.map(once);
}

/** Whether something of it is left without charts, and without what opens on a press. */
function isText(block: Exclude<Block, Group>): boolean {
  if (block.kind === "figure") return block.findings.length > 0;
  return block.kind === "table" || block.kind === "verbatim" ? block.fold === null : true;
}

const FORMS_AT: Readonly<Record<Depth, readonly Form[]>> = {
  summary: ["page", "terminal", "markdown"],
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
