/** The wiki's HTML. Each view lays out rows of the database within a frame that all pages share. */
import { html, raw } from "hono/html";
import type { PageChange, PageHead, SearchHit, SectionCount, WikiPage } from "./pages.ts";
import type { Rendered } from "./markdown.ts";

interface PageView extends WikiViewer {
  readonly page: WikiPage;
  readonly rendered: Rendered;
  readonly tags: readonly string[];
  /** Pages of the same section. */
  readonly siblings: readonly PageHead[];
  /** Pages that link to this page. */
  readonly linking: readonly PageHead[];
}

export function renderWikiPage(view: PageView): WikiHtml {
  const { page, siblings, user } = view;
  const aside = html`<h2>${page.section}</h2>${renderHeads(siblings)}`;
  return renderFrame({ title: page.title, user, aside, main: renderMain(view) });
}

function renderMain({ page, rendered, tags, linking, user }: PageView): WikiHtml {
  const { contents } = rendered;
  return html`
    <nav><a href="/">Home</a> / ${page.section} / ${page.title}</nav>
    <nav class="contents">
      <ul>${contents.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>
    </nav>
    <article>${raw(rendered.html)}</article>
    <p>${tags.map((tag) =>
      html`
        <a href="/tag/${tag}">${tag}</a>
      `
    )}</p>
    <section><h2>What links here</h2>${renderHeads(linking)}</section>
    <footer>
      Revision ${page.revision} by ${page.author}, ${page.writtenAt.slice(0, 10)}.
      ${user === null ? "" : html`<a href="/edit/${page.slug}">Edit</a>`}
    </footer>
  `;
}

interface HomeView extends WikiViewer {
  readonly rendered: Rendered;
  readonly sections: readonly SectionCount[];
  readonly newest: readonly PageChange[];
  /** The number of pages in the wiki. */
  readonly pages: number;
}

export function renderHome({ user, rendered, sections, newest, pages }: HomeView): WikiHtml {
  const aside = html`
    <h2>Sections</h2>
    <ul>${sections.map(({ section, pages }) =>
      html`<li><a href="/section/${section}">${section}</a> (${pages})</li>`
    )}</ul>
  `;
  const main = html`
    <p>${pages} pages</p>
    <article>${raw(rendered.html)}</article>
    <h2>Changes</h2>
    <ul>${newest.map(({ slug, title, author, writtenAt }) =>
      html`<li><a href="/page/${slug}">${title}</a>, ${author}, ${writtenAt.slice(0, 10)}</li>`
    )}</ul>
  `;
  return renderFrame({ title: "Home", user, aside, main });
}

interface ListView extends WikiViewer {
  readonly title: string;
  readonly heads: readonly PageHead[];
}

export function renderList({ title, heads, user }: ListView): WikiHtml {
  return renderFrame({ title, user, main: html`<h1>${title}</h1>${renderHeads(heads)}` });
}

export function renderFound(
  { query, found, user }: WikiViewer & { query: string; found: SearchHit },
): WikiHtml {
  const main = html`
    <h1>Search</h1>
    <p>${found.total} pages</p>
    <ol>${found.hits.map(({ slug, section, title, excerpt }) =>
      html`
        <li>
          <a href="/page/${slug}">${title}</a> in ${section}
          <p>${renderExcerpt(excerpt)}</p>
        </li>
      `
    )}</ol>
  `;
  return renderFrame({ title: "Search", user, query, main });
}

/** Highlights the words found, which are the parts with odd indices. */
function renderExcerpt(excerpt: readonly string[]): (WikiHtml | string)[] {
  return excerpt.map((part, at) => at % 2 === 1 ? html`<mark>${part}</mark>` : part);
}

export function renderMissing({ slug, user }: WikiViewer & { slug: string }): WikiHtml {
  const main = html`
    <h1>No such page</h1>
    <p>There is no page ${slug}. <a href="/edit/${slug}">Write it</a></p>
  `;
  return renderFrame({ title: "No such page", user, main });
}

function renderHeads(heads: readonly PageHead[]): WikiHtml {
  return html`
    <ul>${heads.map(({ slug, title }) => html`<li><a href="/page/${slug}">${title}</a></li>`)}</ul>
  `;
}

export type WikiHtml = ReturnType<typeof html>;

/** The user who views a page; null if nobody is logged in. */
export interface WikiViewer {
  readonly user: string | null;
}

interface PageFrame extends WikiViewer {
  readonly title: string;
  readonly main: WikiHtml;
  readonly aside?: WikiHtml | "";
  readonly query?: string;
}

export function renderFrame({ title, main, aside = "", query = "", user }: PageFrame): WikiHtml {
  return html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title} – Harbour handbook</title>
        <link rel="stylesheet" href="/assets/wiki.css">
      </head>
      <body>
        <header>
              <a href="/">Harbour handbook</a>
              <form action="/search">
                <input type="search" name="q" value="${query}" aria-label="Search">
              </form>
              ${user === null ? html`<a href="/login">Log in</a>` : renderLogOut(user)}
            </header>
        <div class="columns">
          <aside>${aside}</aside>
          <main>${main}</main>
        </div>
      </body>
    </html>
  `;
}

function renderLogOut(user: string): WikiHtml {
  return html`
    <form action="/logout" method="post"><button>Log out ${user}</button></form>
  `;
}

export const STYLE = `
body { font-family: system-ui, sans-serif; line-height: 1.5; margin: 0 }
header { align-items: center; background: #12344d; display: flex; gap: 1rem; padding: 0.5rem 1rem }
header a { color: #fff; font-weight: 600 }
header form:first-of-type { flex: 1 }
.columns { display: grid; gap: 2rem; grid-template-columns: 16rem minmax(0, 50rem); padding: 1rem }
aside ul { list-style: none; padding: 0 }
table { border-collapse: collapse }
td, th { border: 1px solid #c5ced6; padding: 0.2rem 0.6rem }
pre { background: #eef2f5; overflow-x: auto; padding: 0.8rem }
blockquote { border-left: 4px solid #c5ced6; margin-left: 0; padding-left: 1rem }
textarea { height: 30rem; width: 100% }
@media (max-width: 50rem) { .columns { grid-template-columns: minmax(0, 1fr) } }
`;
