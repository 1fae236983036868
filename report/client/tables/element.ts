/// <reference lib="dom" />
/** Tables that the client makes, in the form of those of the page. Every text stays text. */

interface ColumnHead {
  readonly label: string;
  readonly unit: string;
}

/** @param rows The name of each, then its cells. */
export function tableElement(
  caption: string,
  [name, ...figures]: readonly ColumnHead[],
  rows: readonly (readonly HTMLTableCellElement[])[],
): HTMLElement {
  const table = document.createElement("table");
  table.createCaption().textContent = caption;
  table.createTHead().insertRow().append(
    columnHead(name, "name"),
    ...figures.map((figure) => columnHead(figure, "number")),
  );
  const body = table.createTBody();
  for (const cells of rows) body.insertRow().append(...cells);
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.role = "group";
  scroll.ariaLabel = caption;
  scroll.append(table);
  return scroll;
}

function columnHead({ label, unit }: ColumnHead, kind: string): HTMLTableCellElement {
  const cell = document.createElement("th");
  cell.scope = "col";
  cell.className = kind;
  cell.textContent = label;
  if (unit !== "") cell.append(" ", small(unit));
  return cell;
}

export function rowHead(text: string, color?: number): HTMLTableCellElement {
  const cell = document.createElement("th");
  cell.scope = "row";
  // A name wraps, unlike the other cells of its row.
  const name = document.createElement("span");
  if (color !== undefined) {
    const swatch = document.createElement("i");
    swatch.className = `s${color}`;
    name.append(swatch);
  }
  name.append(text);
  cell.append(name);
  return cell;
}

export interface NumberText {
  readonly text: string;
  /** The number behind the text. */
  readonly value?: number;
  /** A second line. */
  readonly below?: string;
  readonly weak?: boolean;
}

export function numberElement(
  { text, value, below, weak = false }: NumberText,
): HTMLTableCellElement {
  const cell = document.createElement("td");
  if (value !== undefined) cell.dataset.v = String(value);
  cell.className = weak ? "number weak" : "number";
  cell.append(weak ? `(${text})` : text);
  if (below !== undefined) cell.append(" ", small(below, "below"));
  return cell;
}

function small(text: string, kind = ""): HTMLElement {
  const element = document.createElement("small");
  if (kind !== "") element.className = kind;
  element.textContent = text;
  return element;
}
