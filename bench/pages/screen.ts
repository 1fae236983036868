/** Renders a terminal's screen as SVG. It knows only the styles that Plateau uses. */
import { attributes, element } from "../../report/writing/xml.ts";

const CHAR_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const PADDING = 14;
/** Fonts in order of preference. Which one is used depends on the reader's machine, so character widths differ. */
const FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const COLOURS: Readonly<Record<string, string>> = {
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#56d4dd",
};

interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly colour: string | null;
}

const PLAIN: Style = { bold: false, dim: false, colour: null };

/**
 * @param screen Lines with escape sequences, as from `tmux capture-pane -e`.
 * @param columns The terminal's width.
 */
export function toSvg(screen: string, columns: number): string {
  const lines = screen.trimEnd().split("\n");
  const width = Math.ceil(columns * CHAR_WIDTH + 2 * PADDING);
  const height = lines.length * LINE_HEIGHT + 2 * PADDING;
  let style = PLAIN;
  const texts = lines.map((line, row) => {
    const spans: string[] = [];
    let column = 0;
    // deno-lint-ignore no-control-regex -- the escapes of a terminal begin with one
    for (const [, codes, text] of line.matchAll(/(?:\x1b\[([\d;]*)m)?([^\x1b]*)/g)) {
      if (codes !== undefined) style = styled(style, codes);
      for (const { 0: part, index } of text.matchAll(/\S+(?: \S+)*/g)) {
        const before = [...text.slice(0, index)].length;
        spans.push(spanOf(part, column + before, row, style));
      }
      column += [...text].length;
    }
    return spans.join("");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}">`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="${FONT}" font-size="14" fill="#e6edf3" xml:space="preserve">`,
    ...texts.filter(Boolean),
    "</g></svg>\n",
  ].join("\n");
}

/**
 * Applies the codes of one SGR escape sequence to a style (ECMA-48 §8.3.117). Code 39 is the default colour of text;
 * codes that Plateau does not use are ignored.
 */
function styled(style: Style, codes: string): Style {
  return codes.split(";").reduce((before: Style, code): Style => {
    if (code === "" || code === "0") return PLAIN;
    if (code === "1") return { ...before, bold: true };
    if (code === "2") return { ...before, dim: true };
    if (code === "39") return { ...before, colour: null };
    return code in COLOURS ? { ...before, colour: COLOURS[code] } : before;
  }, style);
}

/** Makes an SVG text of fixed position and width, so that columns stay aligned in any font. */
function spanOf(text: string, column: number, row: number, { bold, dim, colour }: Style): string {
  const at = {
    x: (PADDING + column * CHAR_WIDTH).toFixed(1),
    y: PADDING + (row + 0.75) * LINE_HEIGHT,
    textLength: ([...text].length * CHAR_WIDTH).toFixed(1),
  };
  const look = {
    ...(bold && { "font-weight": "bold" }),
    ...(dim && { opacity: "0.6" }),
    ...(colour !== null && { fill: colour }),
  };
  return element`<text${attributes({ ...at, ...look })}>${text}</text>`.text;
}
