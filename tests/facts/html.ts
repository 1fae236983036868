/** The facts of a page: every number of its tables and charts, and its sentences. Knows HTML, not Plateau's elements. Pure. */
import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import { chartFacts, type PlacedChart } from "./charts.ts";
import { type Found, numbersIn, oneLine, wordFacts } from "./fact.ts";

/** A piece of the page: a tag, or the text between two. */
type Piece =
  | { readonly tag: string; readonly isEnd: boolean; readonly attributes: string }
  | { readonly text: string };

const PIECE = /<!--[^]*?-->|<![^>]*>|<(\/?)([a-z][\w-]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>|([^<]+|<)/gi;
const RAW = /^(?:script|style|svg)$/;

function* piecesOf(html: string): Generator<Piece> {
  for (const match of html.matchAll(PIECE)) {
    const [, slash, tag, attributes, text] = match;
    if (tag !== undefined) yield { tag: tag.toLowerCase(), isEnd: slash === "/", attributes };
    else if (text !== undefined) yield { text: decoded(text) };
  }
}

const ENTITIES: Record<string, string> = {
  ...{ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " },
};

function decoded(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (all, hex, decimal, name) =>
      hex !== undefined
        ? String.fromCodePoint(parseInt(hex, 16))
        : decimal !== undefined
        ? String.fromCodePoint(Number(decimal))
        : ENTITIES[name] ?? all,
  );
}

interface TableCell {
  readonly isHead: boolean;
  readonly span: number;
  text: string;
}

interface Table {
  caption: string;
  readonly heading: string;
  readonly rows: TableCell[][];
}

const BLOCK =
  /^(?:p|li|dd|dt|h[1-6]|div|section|article|summary|figcaption|caption|table|tr|nav|header|details|legend|label|pre|figure|ul|dl)$/;

interface PageParts {
  readonly tables: readonly Table[];
  /** Text outside of tables, a block each. */
  readonly blocks: readonly string[];
  /** Images by their names for those who can't see them: where each stands. */
  readonly images: ReadonlyMap<string, readonly string[]>;
  readonly data: readonly string[];
  readonly rows: readonly ChartRow[];
}

/** Of a chart that is markup: a value for a name. */
interface ChartRow {
  readonly label: string;
  readonly place: string;
  /** Behind its name; null: that is still read. */
  text: string | null;
}

/** Everything in one pass over the page. */
function partsOf(html: string): PageParts {
  const data: string[] = [];
  const body = html.replace(
    /<(script|style)\b((?:"[^"]*"|[^>"])*)>([^]*?)<\/\1>/gi,
    (_, _tag, attributes, content) => {
      if (/type="?application\/json/.test(attributes)) data.push(content);
      return "";
    },
  ).replace(/<svg\b[^]*?<\/svg>/gi, "");
  const tables: Table[] = [];
  const open: Table[] = [];
  const blocks: string[] = [];
  const images = new Map<string, string[]>();
  const headings: string[] = [];
  const rows: ChartRow[] = [];
  let row: ChartRow | null = null;
  let block = "";
  let heading: { readonly level: number; text: string } | null = null;
  let into: "block" | "caption" | "cell" = "block";
  const end = (): void => {
    blocks.push(block);
    block = "";
  };
  for (const piece of piecesOf(body)) {
    const table = open.at(-1);
    if ("text" in piece) {
      if (heading !== null) heading.text += piece.text;
      if (row !== null && row.text !== null) row.text += piece.text;
      const cell = table?.rows.at(-1)?.at(-1);
      if (into === "caption" && table !== undefined) table.caption += piece.text;
      else if (into === "cell" && cell !== undefined) cell.text += piece.text;
      else if (table === undefined) block += piece.text;
      continue;
    }
    const { tag, isEnd, attributes } = piece;
    if (RAW.test(tag)) continue;
    const level = /^h([1-6])$/.exec(tag)?.[1];
    if (level !== undefined) {
      if (!isEnd) heading = { level: Number(level), text: "" };
      else if (heading !== null) {
        headings.length = heading.level - 1;
        headings[heading.level - 1] = oneLine(heading.text);
        heading = null;
      }
    }
    if (tag === "li" || tag === "ul") {
      const label = /\bdata-label="([^"]*)"/.exec(attributes)?.[1];
      row = label === undefined
        ? null
        : { label: decoded(label), place: below(headings), text: null };
      if (row !== null) rows.push(row);
    } else if (row !== null && tag === "span" && isEnd) row.text ??= "";
    if (/\brole="img"/.test(attributes)) {
      const alt = decoded(/\baria-label="([^"]*)"/.exec(attributes)?.[1] ?? "");
      images.set(alt, [...images.get(alt) ?? [], below(headings)]);
    }
    if (tag === "table") {
      if (isEnd) open.pop();
      else {
        const begun = { caption: "", heading: below(headings), rows: [] };
        tables.push(begun);
        open.push(begun);
      }
      into = "block";
      end();
    } else if (tag === "caption") into = isEnd ? "block" : "caption";
    else if (tag === "tr" && !isEnd) {
      table?.rows.push([]);
      into = "block";
    } else if (tag === "td" || tag === "th") {
      into = isEnd ? "block" : "cell";
      const span = Number(/\bcolspan="?(\d+)/.exec(attributes)?.[1] ?? 1);
      if (!isEnd) table?.rows.at(-1)?.push({ isHead: tag === "th", span, text: "" });
    } else if (tag === "br" || tag === "wbr") continue;
    else if (BLOCK.test(tag) && table === undefined) end();
  }
  end();
  return { tables, blocks, images, data, rows };
}

/** Headings under which something stands, without the title of the page: `static › Latency`. */
function below(headings: readonly string[]): string {
  return headings.filter((text) => text !== undefined && text !== "").slice(1).join(" › ");
}

export function pageFacts(html: string): Found[] {
  const { tables, blocks, images, data, rows } = partsOf(html);
  const charts = placedCharts(data.flatMap((text) => chartsIn(JSON.parse(text))), images);
  return [
    ...tables.flatMap(tableFacts),
    ...charts.flatMap(chartFacts),
    ...rows.map(({ label, place, text }) => ({
      ...{ kind: "chart", place, key: label },
      value: numbersIn((text ?? "").replaceAll(/\brun \d+:/g, "")).join(" "),
    })),
    ...wordFacts("html", blocks),
  ];
}

/** Those that are shown, in the order of the page: others of the same name wait for a reader's choice. */
function placedCharts(
  charts: readonly NamedChart[],
  images: ReadonlyMap<string, readonly string[]>,
): PlacedChart[] {
  return [...Map.groupBy(charts, ({ alt }) => alt)].flatMap(([alt, alike]) =>
    (images.get(alt) ?? []).flatMap((place, i) =>
      alike[i] === undefined ? [] : [{ chart: alike[i], place }]
    )
  );
}

type NamedChart = PlacedChart["chart"];

/** Whatever has an alternative text is a chart, wherever it stands. */
function chartsIn(value: unknown): NamedChart[] {
  if (typeof value === "string") return chartsIn(inflated(value));
  if (typeof value !== "object" || value === null) return [];
  if ("alt" in value && typeof value.alt === "string") return [{ ...value, alt: value.alt }];
  return Object.values(value).flatMap(chartsIn);
}

/** JSON that was deflated, in base64; null for any other text. */
function inflated(text: string): unknown {
  if (!/^eJ[\w+/]+=*$/.test(text)) return null;
  try {
    const json = inflateSync(Buffer.from(text, "base64")).toString();
    return /^[[{]/.test(json) ? JSON.parse(json) : null;
  } catch {
    return null;
  }
}

/** Outcomes and marks that are codes, though a cell shows them as text. */
const CODES =
  /[✓✗≈]|(?<![\w])\?(?!\w)|\b(?:pass|fail|failed|better|worse|equivalent|inconclusive|reproduced|not reproduced|valid|suspect|invalid|flat|warm-up|slowdown|no steady state|too short)\b/g;

function tableFacts({ caption, heading, rows }: Table): Found[] {
  const place = oneLine(caption) || heading;
  const heads = rows.filter((row) => row.length > 0 && row.every(({ isHead }) => isHead));
  const columns = columnsOf(heads);
  const body = rows.filter((row) => row.length > 0 && !heads.includes(row));
  const labels = rowLabels(body);
  return body.flatMap((row, i) => {
    const at = positionsOf(row);
    return row.flatMap((cell, j) => {
      if (cell.isHead) return [];
      const text = oneLine(cell.text);
      const key = `${labels[i]} | ${columns[at[j]] ?? ""}`;
      const value = [...numbersIn(text), ...text.match(CODES) ?? []].join(" ");
      const isWords = /\p{L}{3,}.* .*\p{L}{3,}/u.test(text);
      return [
        ...value === "" ? [] : [{ kind: "table", place, key, value }],
        ...isWords ? wordFacts(`html table ${place}`, [text]) : [],
      ];
    });
  });
}

function columnsOf(heads: readonly TableCell[][]): string[] {
  const columns: string[] = [];
  for (const row of heads) {
    let at = 0;
    for (const { text, span } of row) {
      for (let i = 0; i < span; i++, at++) {
        columns[at] = oneLine(`${columns[at] ?? ""} ${text}`);
      }
    }
  }
  return columns;
}

function positionsOf(row: readonly TableCell[]): number[] {
  let at = 0;
  return row.map(({ span }) => (at += span) - span);
}

/** The heads of each row, followed by up to two of its cells if other rows have the same heads. */
function rowLabels(rows: readonly TableCell[][]): string[] {
  const labels = [0, 1, 2].map((cells) => rows.map((row) => rowLabel(row, cells)));
  const counts = labels.map((all) => Map.groupBy(all, (label) => label));
  return rows.map((_, i) => {
    const cells = [0, 1].find((cells) => counts[cells].get(labels[cells][i])?.length === 1) ?? 2;
    return labels[cells][i];
  });
}

function rowLabel(row: readonly TableCell[], cells: number): string {
  const heads = row.filter(({ isHead }) => isHead);
  const rest = row.filter(({ isHead }) => !isHead);
  const named = [...heads, ...rest.slice(0, heads.length === 0 ? cells + 1 : cells)];
  return named.map(({ text }) => oneLine(text)).join(", ");
}
