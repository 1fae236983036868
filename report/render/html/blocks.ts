/** Blocks → markup of the page: each kind of block once, whatever subject it belongs to. */
import type {
  Block,
  Depth,
  Facts,
  Figure,
  Finding,
  Group,
  List,
  Panel,
  TableBlock,
  Text,
  Verbatim,
} from "../../blocks.ts";
import { type Markup, markup } from "../../writing/html.ts";
import {
  chartMarkup,
  legendMarkup,
  marksMarkup,
  type PagePlace,
  sizeOf,
} from "./sections/figures.ts";
import { swatchMarkup, tableMarkup } from "./sections/tables.ts";

/** @param place Its id is that of what the blocks stand in; those of its parts begin with it. @param level Of headings in it. */
export function blocksMarkup(blocks: readonly Block[], place: PagePlace, level: number): Markup[] {
  return blocks.map((block, i) =>
    blockMarkup(block, { ...place, id: `${place.id}-${i + 1}` }, level)
  );
}

function blockMarkup(block: Block, place: PagePlace, level: number): Markup {
  switch (block.kind) {
    case "text":
      return textMarkup(block);
    case "list":
      return listMarkup(block, level);
    case "facts":
      return factsMarkup(block);
    case "table":
      return tableBlockMarkup(block, place);
    case "figure":
      return figureMarkup(block, place, level);
    case "verbatim":
      return verbatimMarkup(block);
    case "group":
      return groupMarkup(block, place, level);
  }
}

const DEPTH_CLASSES: Readonly<Record<Depth, string>> = {
  summary: "",
  detail: "in-detail",
  everything: "in-everything",
};

/** A section of its own where an address names it. */
export function sectionMarkup(group: Group, place: PagePlace): Markup {
  const id = `${place.id}-${group.id}`;
  return markup`<section id="${id}"${classAttribute([DEPTH_CLASSES[group.depth]])}>${
    headingMarkup(group.title, 2, { code: group.aside })
  }
${blocksMarkup(group.blocks, { ...place, id }, 3)}</section>`;
}

function groupMarkup(group: Group, place: PagePlace, level: number): Markup {
  const { depth, layout, title, aside, blocks } = group;
  const below = title === "" ? level : level + 1;
  const content = blocksMarkup(blocks, place, below);
  const inside = layout === "stack"
    ? content
    : markup`<div class="${layout}">${content.map((part) => markup`<div>${part}</div>`)}</div>`;
  const heading = title === "" ? null : headingMarkup(title, level, { code: aside });
  const depthClass = DEPTH_CLASSES[depth];
  return depthClass === ""
    ? markup`${heading}\n${inside}`
    : markup`<div class="${depthClass}">${heading}\n${inside}</div>`;
}

/** A heading below the fourth level looks like one of it. @param beside Its swatch, or code behind it. */
function headingMarkup(title: string, level: number, beside: Beside = {}): Markup {
  const content = markup`${beside.swatch ?? null}${title}${
    beside.code ? markup` <code>${beside.code}</code>` : null
  }`;
  switch (level) {
    case 2:
      return markup`<h2>${content}</h2>`;
    case 3:
      return markup`<h3>${content}</h3>`;
    default:
      return markup`<h4>${content}</h4>`;
  }
}

interface Beside {
  readonly swatch?: Markup | null;
  readonly code?: string;
}

function classAttribute(classes: readonly string[]): Markup | null {
  const names = classes.filter((name) => name !== "");
  return names.length === 0 ? null : markup` class="${names.join(" ")}"`;
}

function textMarkup({ text, tone }: Text): Markup {
  switch (tone) {
    case "plain":
      return markup`<p>${withCode(text)}</p>\n`;
    case "verdict":
      return markup`<p class="verdict"><strong>${withCode(text)}</strong></p>\n`;
    case "note":
    case "warning":
      return markup`<p class="${tone}">${withCode(text)}</p>\n`;
  }
}

function listMarkup({ title, items }: List, level: number): Markup {
  return markup`${title === "" ? null : headingMarkup(title, level)}${findingsMarkup(items)}`;
}

function findingsMarkup(findings: readonly Finding[]): Markup | null {
  if (findings.length === 0) return null;
  if (findings.length === 1) return markup`<p>${withCode(findings[0].text)}</p>\n`;
  const items = findings.map(({ text }) => markup`<li>${withCode(text)}</li>`);
  return markup`<ul class="findings">${items}</ul>\n`;
}

/** What stands between backticks, in pairs, is code. */
export function withCode(text: string): Markup {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return markup`${text}`;
  return markup`${
    parts.map((part, i) => i % 2 === 0 ? markup`${part}` : markup`<code>${part}</code>`)
  }`;
}

function factsMarkup({ facts }: Facts): Markup {
  const items = facts.map(({ label, text }) =>
    markup`<div><dt>${label}</dt><dd>${text}</dd></div>`
  );
  return markup`<dl class="facts">${items}</dl>\n`;
}

function tableBlockMarkup(
  { table, isCaptioned, fold, outcomes }: TableBlock,
  place: PagePlace,
): Markup {
  const plain = tableMarkup(table, {
    id: place.id,
    captioned: isCaptioned,
    outcomes: outcomes?.map(({ outcome }) => outcome),
  });
  const whole = outcomes === undefined ? plain : markup`<div class="judged">${plain}</div>`;
  const shown = fold === null ? whole : foldMarkup(fold, whole);
  const choices = new Map(outcomes?.map(({ outcome, label }) => [outcome, label]));
  if (choices.size < 2) return shown;
  const buttons = [...choices].map(([outcome, label]) =>
    markup`<button type="button" value="${outcome}" aria-pressed="true">${label}</button>\n`
  );
  return markup`<p class="outcomes" role="group" aria-label="Rows shown">${buttons}</p>
${shown}`;
}

function foldMarkup(summary: string, content: Markup): Markup {
  return markup`<details><summary>${summary}</summary>${content}</details>\n`;
}

function figureMarkup(figure: Figure, place: PagePlace, level: number): Markup {
  const { legend, marks = [], panels, findings, reading, values } = figure;
  const drawn = panels.map((panel, i) =>
    panelMarkup(panel, { ...place, id: `${place.id}-${i + 1}` }, level)
  );
  const charts = panels.length === 1 && panels[0].title === ""
    ? drawn
    : markup`<div class="panels">${drawn}</div>`;
  return markup`<figure>${legend.length === 0 ? null : legendMarkup(legend)}${marksMarkup(marks)}
${charts}
<figcaption>${findingsMarkup(findings)}${readingMarkup(reading)}</figcaption>
${
    values && foldMarkup(
      "Values as a table",
      tableMarkup(values, { id: `${place.id}-values`, captioned: false }),
    )
  }</figure>\n`;
}

function panelMarkup({ title, of, chart }: Panel, place: PagePlace, level: number): Markup {
  const drawn = chartMarkup(chart, sizeOf(chart), place);
  if (title === "") return drawn;
  const swatch = of === null ? null : swatchMarkup(of.color);
  const label = of === null ? null : markup` data-label="${of.label}"`;
  return markup`<div class="panel"${label}>${headingMarkup(title, level, { swatch })}
${drawn}</div>`;
}

/** Folded up: it is read once, for the first figure of a kind. */
function readingMarkup(reading: string): Markup | null {
  if (reading === "") return null;
  return markup`<details class="reading"><summary>How to read this</summary>
<p class="note">${reading}</p></details>`;
}

/** Focusable, as it scrolls. */
function verbatimMarkup({ text, fold }: Verbatim): Markup {
  const whole = markup`<pre tabindex="0">${text}</pre>`;
  return fold === null ? whole : foldMarkup(fold, whole);
}
