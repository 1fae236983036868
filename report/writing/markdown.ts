/** GitHub-flavoured Markdown; the report page's client also uses it to copy tables. Pure. */
import { harmless, REFERENCES, withoutCommands } from "../../base/control.ts";
import { Fragment, templateOf, type TemplatePart, type Written } from "./written.ts";

export type Markdown = Fragment<"markdown">;

export const md = templateOf("markdown", escaped);

/**
 * Line beginnings that would start a block (a list, a rule, an underlined heading or indented code), each with a
 * replacement that has no special meaning (CommonMark §4, §5).
 */
const BLOCKS: readonly (readonly [begins: RegExp, inert: string])[] = [
  [/^( *)(?=[-=]+(?:\s|$))/, "$1\\"],
  [/^( *\d{1,9})(?=[.)](?:\s|$))/, "$1\\"],
  [/^ (?= {3})/, "&#32;"],
];

/**
 * Escapes text so that no Markdown renderer takes any of it for markup, a link or a mention, and no CI service takes
 * any of it for a command.
 */
function escaped(text: string): string {
  const signs = harmless(text)
    .replace(/[\\`*_{}[\]()#+!|~$]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replace(/:\/\//g, "&#58;//")
    .replace(/www\./gi, (www) => www.replace(".", "&#46;"));
  const block = BLOCKS.reduce((all, [begins, inert]) => all.replace(begins, inert), signs);
  return withoutCommands(block, REFERENCES);
}

function joined(parts: readonly Markdown[], between: string): Markdown {
  const text = parts.map(({ text }) => text).filter(Boolean).join(between);
  return new Fragment("markdown", text as Written<"markdown">);
}

/** Joins paragraphs with an empty line between them; leaves out empty ones. */
export function paragraphs(parts: readonly Markdown[]): Markdown {
  return joined(parts, "\n\n");
}

export function bulletList(texts: readonly string[]): Markdown {
  return joined(texts.map((text) => md`- ${text}`), "\n");
}

/** A table; columns of the kind "number" are right-aligned. */
export function tableOf(
  columns: readonly { readonly head: string; readonly kind: string }[],
  rows: readonly (readonly string[])[],
): Markdown {
  const row = (cells: readonly TemplatePart<"markdown">[]): Markdown =>
    md`|${cells.map((cell) => md` ${cell} |`)}`;
  return joined([
    row(columns.map(({ head }) => head)),
    row(columns.map(({ kind }) => kind === "number" ? md`---:` : md`---`)),
    ...rows.map(row),
  ], "\n");
}

export function documentOf(part: Markdown): Written<"markdown"> {
  return md`${part}\n`.text;
}

export function together(documents: readonly Written<"markdown">[]): Written<"markdown"> {
  return documents.join("\n") as Written<"markdown">;
}
