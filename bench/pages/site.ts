/**
 * `deno task site` builds a static site from the README and docs/ in dist/site, with navigation in the README's order
 * and a search that runs in the browser. Links to the repository's other files lead to `--source URL`.
 */
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { parseArgs } from "node:util";
import { Marked, type Token, type Tokens } from "marked";
import { markup } from "../../report/writing/html.ts";
import type { Section } from "./site_client.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const SITE = join(ROOT, "dist/site");

/** The anchor of a heading as GitHub generates it, without the `#`, such as `commands-around-the-runs`. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

/** The address on the site of a file of the repository; null if the file is not on the site. */
export function addressOf(file: string): string | null {
  if (file === "README.md") return "index.html";
  if (file === "docs/decisions/README.md") return "docs/decisions/index.html";
  if (/^docs\/images\//.test(file)) return file;
  return /^docs\/.*\.md$/.test(file) ? file.replace(/\.md$/, ".html") : null;
}

/**
 * Converts a link between files to one between pages of the site, such as `ci.md#gitlab` to `ci.html#gitlab`. A link to
 * a file that is not on the site leads to `source`; without a `source`, the result is null.
 */
export function siteLink(link: string, from: string, source: string | null): string | null {
  if (/^(?:https?:|#)/.test(link)) return link;
  const [path, anchor] = link.split("#");
  const file = posix.normalize(posix.join(dirname(from), path));
  const to = addressOf(file);
  if (to === null) return source && `${source}/${file}`;
  const folder = dirname(addressOf(from) ?? "");
  return `${posix.relative(folder, to)}${anchor === undefined ? "" : `#${anchor}`}`;
}

interface SitePage {
  readonly file: string;
  readonly title: string;
  readonly body: string;
  readonly sections: readonly Section[];
}

/** Renders one page, and collects its sections for the search. */
export function sitePage(file: string, text: string, source: string | null): SitePage {
  const address = addressOf(file) ?? "";
  const sections: Section[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }): string {
        return `<h${depth} id="${anchorOf(plain(text))}">${
          this.parser.parseInline(tokens)
        }</h${depth}>\n`;
      },
      link({ href, tokens }): string {
        const to = siteLink(href, file, source);
        const inner = this.parser.parseInline(tokens);
        return to === null ? inner : `<a href="${escaped(to)}">${inner}</a>`;
      },
    },
  });
  const tokens = marked.lexer(text.replaceAll(/^<!-- .*? -->\n/gm, ""));
  const title = plain(
    tokens.find((token): token is Tokens.Heading => token.type === "heading")?.text ?? file,
  );
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plain(token.text);
      sections.push({ id: `${address}#${anchorOf(heading)}`, title, heading, text: "" });
    } else {
      const last = sections.at(-1);
      if (last !== undefined) {
        sections[sections.length - 1] = { ...last, text: `${last.text} ${plainOf(token)}` };
      }
    }
  }
  return { file, title, body: marked.parser(tokens), sections };
}

function plainOf(token: Token): string {
  return plain(token.raw).replaceAll(/\s+/g, " ").trim();
}

function plain(markdown: string): string {
  return markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*|]|-{3,}/g, "");
}

function escaped(text: string): string {
  return markup`${text}`.text;
}

/** Renders the links that are below the README's heading "Documentation", in their groups. */
function navigation(readme: string, from: string, source: string | null): string {
  const [, list = ""] = readme.split("\n## Documentation\n");
  const groups = [...list.matchAll(/^\*\*(.+?)\*\*:(.+?)(?=\n\n)/gms)].map(([, name, links]) => {
    const items = [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, label, link]) => {
      const to = siteLink(posix.relative(dirname(from), link), from, source);
      const here = link === from ? ' aria-current="page"' : "";
      return `<li><a href="${to}"${here}>${escaped(label)}</a></li>`;
    });
    return `<h2>${name}</h2><ul>${items.join("")}</ul>`;
  });
  return groups.join("\n");
}

function document({ file, title, body }: SitePage, readme: string, source: string | null): string {
  const up = posix.relative(dirname(addressOf(file) ?? ""), "") || ".";
  const name = file === "README.md" ? "Plateau" : `${escaped(title)} · Plateau`;
  return `<!doctype html>
<html lang="en" data-root="${up}"><head><meta charset="utf-8"><title>${name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${up}/site.css"></head>
<body><header><a href="${up}/index.html">Plateau</a>
<label>Search <input type="search" id="search" autocomplete="off"></label><ol id="found" hidden></ol></header>
<main>${body}</main><nav aria-label="Pages">${navigation(readme, file, source)}</nav>
<script src="${up}/sections.js"></script><script src="${up}/search.js"></script></body></html>
`;
}

async function pageFiles(): Promise<string[]> {
  const names = await readdir(join(ROOT, "docs"), { recursive: true });
  return [
    "README.md",
    ...names.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`).sort(),
  ];
}

async function client(): Promise<string> {
  const path = join(import.meta.dirname ?? "", "site_client.ts");
  const args = ["bundle", "--quiet", "--platform", "browser", "--format", "iife", "--minify", path];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function makeSite(source: string | null): Promise<void> {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  await rm(SITE, { recursive: true, force: true });
  const sections: Section[] = [];
  for (const file of await pageFiles()) {
    const page = sitePage(file, await readFile(join(ROOT, file), "utf8"), source);
    const path = join(SITE, addressOf(file) ?? basename(file));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, document(page, readme, source));
    sections.push(...page.sections);
  }
  await cp(join(ROOT, "docs/images"), join(SITE, "docs/images"), { recursive: true });
  await copyFile(join(import.meta.dirname ?? "", "site.css"), join(SITE, "site.css"));
  await writeFile(join(SITE, "sections.js"), `globalThis.SECTIONS=${JSON.stringify(sections)}`);
  await writeFile(join(SITE, "search.js"), await client());
}

if (import.meta.main) {
  const { values } = parseArgs({ args: Deno.args, options: { source: { type: "string" } } });
  await makeSite(values.source?.replace(/\/$/, "") ?? null);
}
