/** What people fill in: to log in, and to write a page. */
import { html } from "hono/html";
import { type Html, renderFrame, type Viewer } from "./layout.ts";

/** @param problem What was wrong with the last try, or null. */
export function renderLogin({ user, problem }: Viewer & { problem: string | null }): Html {
  const main = html`
    <h1>Log in</h1>
    ${problem === null ? "" : html`<p role="alert">${problem}</p>`}
    <form method="post" action="/login">
      <label>Name <input name="name" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Log in</button>
    </form>
  `;
  return renderFrame({ title: "Log in", user, main });
}

export interface Editing extends Viewer {
  readonly slug: string;
  readonly section: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
}

export function renderEditor({ user, slug, section, title, body, tags }: Editing): Html {
  const main = html`
    <h1>${title}</h1>
    <form method="post" action="/edit/${slug}">
      <label>Title <input name="title" value="${title}" required></label>
      <label>Section <input name="section" value="${section}" required></label>
      <label>Tags <input name="tags" value="${tags.join(" ")}"></label>
      <textarea name="body" aria-label="Text">${body}</textarea>
      <button>Save</button>
    </form>
  `;
  return renderFrame({ title, user, main });
}
