/** Renders markdown as HTML. Users' text is not trusted, so HTML and scripts in it are escaped. */
import { Marked, type Tokens } from "marked";

export interface Rendered {
  readonly html: string;
  /** Headings of level 2 and below, with their ids in the HTML. */
  readonly contents: readonly { readonly id: string; readonly text: string }[];
}

export type Render = (markdown: string) => Rendered;

/** A renderer for GitHub-flavored markdown that gives each heading an id. */
export function markdownRenderer(): Render {
  const ids = new WeakMap<object, string>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escape(text),
      heading(token): string {
        const text = this.parser.parseInline(token.tokens);
        return `<h${token.depth} id="${ids.get(token)}">${text}</h${token.depth}>\n`;
      },
      link(token): string | false {
        return isSafe(token.href) ? false : this.parser.parseInline(token.tokens);
      },
      image: (token) => isSafe(token.href) ? false : escape(token.text),
    },
  });
  return (markdown) => {
    const tokens = marked.lexer(markdown);
    const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading");
    const named = headings.map((heading, at) => {
      const id = `${at}-${heading.text.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
      ids.set(heading, id);
      return { id, text: heading.text, depth: heading.depth };
    });
    const contents = named.filter(({ depth }) => depth > 1);
    return { html: marked.parser(tokens), contents };
  };
}

/** Whether a link is harmless: its scheme is http, https or mailto, or it has none and begins with /, # or ?. */
function isSafe(href: string): boolean {
  return /^(?:https?:\/\/|mailto:|[/#?])/i.test(href);
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
