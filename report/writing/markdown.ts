/** GitHub-flavoured markdown; the page's client copies tables with it, too. Pure. */
import { harmless, REFERENCES, withoutCommands } from "./control.ts";
import { Fragment, type Part, templateOf } from "./template.ts";
import type { Written } from "./written.ts";

export type Markdown = Fragment<"markdown">;

export const md = templateOf("markdown", escaped);

/** Text that no markdown renderer takes for markup, a link or a mention, and no CI service for a command. */
function escaped(text: string): string {
  const inert = harmless(text)
    .replace(/[\\`*_{}[\]()#+!|~$]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replace(/:\/\//g, "&#58;//")
    .replace(/www\./gi, (www) => www.replace(".", "&#46;"));
  return withoutCommands(inert, REFERENCES);
}

function joined(parts: readonly Markdown[], between: string): Markdown {
  const text = parts.map(({ text }) => text).filter(Boolean).join(between);
  return new Fragment("markdown", text as Written<"markdown">);
}

/** With an empty line between them; those that are empty are left out. */
export function paragraphs(parts: readonly Markdown[]): Markdown {
  return joined(parts, "\n\n");
}

export function lines(parts: readonly Markdown[]): Markdown {
  return joined(parts, "\n");
}

/** An item a text. */
export function list(texts: readonly string[]): Markdown {
  return lines(texts.map((text) => md`- ${text}`));
}

/** A row of a table. */
export function row(cells: readonly Part<"markdown">[]): Markdown {
  return md`|${cells.map((cell) => md` ${cell} |`)}`;
}

export function document(part: Markdown): Written<"markdown"> {
  return md`${part}\n`.text;
}

/** Documents, one after the other. */
export function together(documents: readonly Written<"markdown">[]): Written<"markdown"> {
  return documents.join("\n") as Written<"markdown">;
}
