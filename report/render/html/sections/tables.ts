/** Renders tables as markup, each with a caption, scopes for header cells, and a scroll container. */
import { withoutGroups } from "../../../writing/units.ts";
import { type Column, NONE, type Table, type TableCell } from "../../../subjects/tables/table.ts";
import { type Markup, markup } from "../../../writing/html.ts";

interface TableOptions {
  /** Unique on the page. */
  readonly id: string;
  /** False if a heading above says the same as the caption, which is then only for screen readers. */
  readonly captioned: boolean;
  /**
   * The outcome of each row, by which the user can filter rows. On a phone, each row then becomes a card. If absent,
   * rows can't be filtered.
   */
  readonly outcomes?: readonly string[];
}

export function tableMarkup(table: Table, { id, captioned, outcomes }: TableOptions): Markup {
  const { caption, columns, rows, notes } = table;
  const decimals = columns.map((_, i) => Math.max(0, ...rows.map((row) => decimalsOf(row[i]))));
  const rowMarkup = (row: readonly TableCell[], at: number): Markup =>
    markup`<tr${outcomes ? markup` data-outcome="${outcomes[at]}"` : null}>${
      row.map((cell, i) => cellMarkup(cell, columns[i], { decimals: decimals[i], id }))
    }`;
  return markup`<div class="scroll" role="group" aria-labelledby="${id}" tabindex="0">
<table><caption id="${id}" class="${captioned ? "seen" : "unseen"}">${caption}</caption>
<thead><tr>${
    columns.map(({ label, unit, kind }) =>
      markup`<th scope="col" class="${kind}">${label}${
        unit && markup` <small>${unit}</small>`
      }</th>`
    )
  }</tr></thead>
<tbody>${rows.map(rowMarkup)}</tbody></table></div>
${notes.length > 0 ? markup`<p class="note">${notes.join(" ")}</p>` : null}`;
}

/**
 * The end tag is omitted, as HTML allows (§13.1.2.4), because a large report has 20,000 cells.
 * @param decimals The largest number of decimals in the column.
 * @param id Id of the table.
 */
function cellMarkup(
  cell: TableCell,
  { kind }: Column,
  { decimals, id }: { readonly decimals: number; readonly id: string },
): Markup {
  const { text, below, value, weak, alarming, color, link, shade } = cell;
  if (kind === "name") {
    // No quotes and a short class name, because a large report has 2,000 swatches.
    const swatch = color === undefined ? null : markup`<i class=s${color}></i>`;
    return markup`<th scope=row><span>${swatch}${text}</span>`;
  }
  const isNone = text === NONE.text && below === undefined;
  const kinds = [kind === "text" && kind, weak && "weak", alarming && "alarming", shade]
    .concat(isNone ? "none" : []).filter((name) => typeof name === "string");
  // Whether the displayed text is the value itself, apart from thousands separators, so that no
  // attribute needs to repeat it.
  const isRead = !weak && below === undefined && withoutGroups(text) === String(value);
  // Quotes are left out where HTML allows.
  const attributes = [
    kinds.length === 0
      ? null
      : markup` class=${kinds.length === 1 && !shade ? kinds[0] : markup`"${kinds.join(" ")}"`}`,
    value === undefined || isRead ? null : markup` data-v=${value}`,
  ];
  // The number of decimals that a cell lacks to match its column, followed by "d" if it also lacks
  // the decimal point.
  const own = decimalsOf(cell);
  const pad = kind === "number" && own < decimals
    ? markup` data-p=${`${decimals - own}${own === 0 ? "d" : ""}`}`
    : null;
  const [document] = id.split("-");
  const shown = link === undefined
    ? markup`${weak ? `(${text})` : text}`
    : markup`<a href="#${document}-${link}">${text}</a>`;
  if (below === undefined) return markup`<td${attributes}${pad}>${shown}`;
  const first = pad === null ? shown : markup`<span${pad}>${shown}</span>`;
  return markup`<td${attributes}>${first} <small>${below}</small>`;
}

function decimalsOf({ text }: TableCell): number {
  return /\.(\d+)/.exec(text)?.[1].length ?? 0;
}

export function swatchMarkup(color: number | undefined): Markup | null {
  return color === undefined ? null : markup`<i class="swatch s${color}"></i>`;
}
