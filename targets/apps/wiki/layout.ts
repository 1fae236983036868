/** What every page of the wiki has around it. */
import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

/** Who looks: a name when logged in. */
export interface Viewer {
  readonly user: string | null;
}

export interface Frame extends Viewer {
  readonly title: string;
  readonly main: Html;
  /** Beside the main part. */
  readonly aside?: Html | "";
  /** What the search field holds. */
  readonly query?: string;
}

export function renderFrame({ title, main, aside = "", query = "", user }: Frame): Html {
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

function renderLogOut(user: string): Html {
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
