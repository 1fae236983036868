/** Turns blocks into the markup of the page, with one function for each kind of block, whatever the block is about. */
import type {
  Alternatives,
  Block,
  Depth,
  Figure,
  Flames,
  Group,
  List,
  TableBlock,
  Text,
} from "../../blocks.ts";
import { dataScript, type Markup, markup } from "../../writing/html.ts";
import { figureContent, figureMarkup, ownPlace, type PagePlace, readingMarkup } from "./figures.ts";
import { tableMarkup } from "./sections/tables.ts";
import { findingsMarkup, foldMarkup, headingMarkup, withCode } from "./texts.ts";

/**
 * The markup of blocks.
 *
 * @param place Place of the container. The ids of all parts begin with the container's id.
 * @param level Level of headings.
 */
export function blocksMarkup(
  blocks: readonly Block[],
  place: PagePlace,
  level: number,
): (Markup | null)[] {
  return blocks.map((block, i) => {
    const own = block.kind === "group" && block.id !== "" ? block.id : i + 1;
    return blockMarkup(block, { ...place, id: `${place.id}-${own}` }, level);
  });
}

function blockMarkup(block: Block, place: PagePlace, level: number): Markup | null {
  switch (block.kind) {
    case "text":
      return textMarkup(block);
    case "list": {
      const { title, items, fold } = block;
      if (fold !== undefined) return trustMarkup(block, fold);
      return markup`${title === "" ? null : headingMarkup(title, level)}${findingsMarkup(items)}`;
    }
    case "facts":
      return markup`<dl class="facts">${
        block.facts.map(({ label, text }) => markup`<div><dt>${label}</dt><dd>${text}</dd></div>`)
      }</dl>\n`;
    case "table":
      return tableBlockMarkup(block, place);
    case "figure":
      return figureMarkup(block, place, level);
    case "flames":
      return flamesMarkup(block, place);
    case "alternatives":
      return markup`${choiceMarkup(block)}${blocksMarkup(block.blocks, place, level)}`;
    case "verbatim": {
      // Focusable, so that it can be scrolled by keyboard.
      const whole = markup`<pre tabindex="0">${block.text}</pre>`;
      return block.fold === null ? whole : foldMarkup(block.fold, whole);
    }
    case "group":
      return groupMarkup(block, place, level);
  }
}

/**
 * A class attribute with the given classes and, for parts outside the summary, a class for their depth; null if there
 * are no classes.
 */
export function classAttribute(depth: Depth, ...own: string[]): Markup | null {
  const names = [...own, ...depth === "summary" ? [] : [`in-${depth}`]];
  return names.length === 0 ? null : markup` class="${names.join(" ")}"`;
}

/** A `<section>` with an id, so that links can point to it. */
export function sectionMarkup(group: Group, place: PagePlace): Markup {
  const id = `${place.id}-${group.id}`;
  return markup`<section id="${id}"${classAttribute(group.depth)}>${
    headingMarkup(group.title, 2, { code: group.aside })
  }
${blocksMarkup(group.blocks, { ...place, id }, 3)}</section>
`;
}

function groupMarkup(group: Group, place: PagePlace, level: number): Markup {
  const { depth, layout, title, aside, blocks } = group;
  const content = blocksMarkup(blocks, place, title === "" ? level : level + 1);
  const inside = layout === "stack"
    ? content
    : markup`<div class="${layout}">${content.map((part) => markup`<div>${part}</div>`)}</div>`;
  if (title === "" && depth === "summary") return markup`${inside}`;
  if (title === "") return markup`<div${classAttribute(depth)}>${inside}</div>\n`;
  return markup`<div${classAttribute(depth, "group")}>${
    headingMarkup(title, level, { code: aside })
  }
${inside}</div>\n`;
}

function textMarkup({ text, tone }: Text): Markup | null {
  switch (tone) {
    case "reading":
      return readingMarkup(text);
    case "plain":
      return markup`<p>${withCode(text)}</p>\n`;
    case "verdict":
      return markup`<p class="verdict"><strong>${withCode(text)}</strong></p>\n`;
    case "note":
    case "warning":
      return markup`<p class="${tone}">${withCode(text)}</p>\n`;
  }
}

/** A foldable list of the reasons why runs are not valid. */
function trustMarkup({ title, items }: List, level: string): Markup {
  const reasons = items.map(({ text }, i) =>
    markup`<li${i < MOST_PRINTED ? null : markup` class="unprinted"`}>${withCode(text)}</li>`
  );
  const left = items.length - MOST_PRINTED;
  const are = left === 1 ? "is" : "are";
  return markup`<details class="trust ${level}"><summary>${title}</summary><ul>${reasons}</ul>${
    left > 0 ? markup`<p class="on-paper">${left} more ${are} in the page on a screen.</p>` : null
  }</details>`;
}

/** Only this many items are printed, because on paper they come before all figures. */
const MOST_PRINTED = 3;

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

/** A flame graph, which the page's client draws. Readers without scripts can use the tables instead. */
function flamesMarkup({ of, flames }: Flames, { id }: PagePlace): Markup {
  const options = flames.map(({ label }, i) => markup`<option value="${i}">${label}</option>`);
  return markup`<figure class="flame" id="${id}">
<form autocomplete="off"><label>Profile of <select name="shown">${options}</select></label>
<label>against <select name="against"></select></label>
<label>Find <input type="search" name="sought"></label>
<button type="button" disabled>Show all</button></form>
<div role="tree" aria-label="Flame graph of ${of}: callers above what they called, as wide as their total time"></div>
<p class="readout"></p></figure>
${dataScript(`flames-${id}`, flames)}`;
}

/** A form to which the page's client adds the choices; null if there is nothing to choose. */
function choiceMarkup({ label, standard, others }: Alternatives): Markup | null {
  const names = others().map(({ name }) => name);
  if (names.length === 0) return null;
  const options = names.map((name) => markup`<option value="${name}">${name}</option>`);
  return markup`<form class="base" autocomplete="off"><label>${label} <select name="base"><option value="">${standard}</option>${options}</select></label></form>`;
}

/**
 * For each choice, its name and the new contents of the figures that change with it, by the ids of these figures.
 * @param place Place of the section that contains the figures.
 */
export function replacedFigures(
  { others }: Alternatives,
  place: PagePlace,
): [name: string, Record<string, string>][] {
  return others().map(({ name, blocks }) => [
    name,
    Object.fromEntries(
      figuresIn(blocks).map((figure) => {
        const own = ownPlace(figure, place);
        return [own.id, figureContent(figure, own, FIGURE_LEVEL).text];
      }),
    ),
  ]);
}

/** Level of the headings in a figure that is in a group within a section. */
const FIGURE_LEVEL = 4;

function figuresIn(blocks: readonly Block[]): Figure[] {
  return blocks.flatMap((block) =>
    block.kind === "figure" ? [block] : block.kind === "group" ? figuresIn(block.blocks) : []
  );
}
