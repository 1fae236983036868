/** Texts that several kinds of block use: headings, findings, and folded-up text. */
import type { Finding } from "../../blocks.ts";
import { type Markup, markup, verbatim } from "../../writing/html.ts";

/**
 * Below the fourth level, headings use the tag of the fourth.
 * @param beside A swatch before the heading, and code after it.
 */
export function headingMarkup(
  title: string,
  level: number,
  { swatch = null, code = "" }: { readonly swatch?: Markup | null; readonly code?: string } = {},
): Markup {
  const tag = verbatim(`h${Math.min(4, level)}`);
  const after = code === "" ? null : markup` <code>${code}</code>`;
  return markup`<${tag}>${swatch}${title}${after}</${tag}>`;
}

export function findingsMarkup(findings: readonly Finding[]): Markup | null {
  if (findings.length === 0) return null;
  if (findings.length === 1) return markup`<p>${withCode(findings[0].text)}</p>\n`;
  const items = findings.map(({ text }) => markup`<li>${withCode(text)}</li>`);
  return markup`<ul class="findings">${items}</ul>\n`;
}

/** Marks text between backticks as code. Text with an unpaired backtick is left unchanged. */
export function withCode(text: string): Markup {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return markup`${text}`;
  return markup`${
    parts.map((part, i) => i % 2 === 0 ? markup`${part}` : markup`<code>${part}</code>`)
  }`;
}

export function foldMarkup(summary: string, content: Markup): Markup {
  return markup`<details><summary>${summary}</summary>${content}</details>\n`;
}
