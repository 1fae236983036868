/** The site of the documentation: its links lead somewhere, and its search finds. */
import assert from "node:assert/strict";
import { posix } from "node:path";
import MiniSearch from "minisearch";
import { addressOf, siteLink, sitePage } from "../../bench/pages/site.ts";
import { readDecisions, readPages } from "./page.ts";

const PAGES = [...readPages(), ...readDecisions()].map(({ file, text }) =>
  sitePage(file, text, null)
);
const SECTIONS = PAGES.flatMap(({ sections }) => sections);

Deno.test("links of the site lead to its pages and their headings", () => {
  const ids = new Set(
    PAGES.flatMap(({ file, body }) => [
      `${addressOf(file)}`,
      ...[...body.matchAll(/<h\d id="([^"]*)"/g)].map(([, id]) => `${addressOf(file)}#${id}`),
    ]),
  );
  const wrong = PAGES.flatMap(({ file, body }) => {
    const address = addressOf(file) ?? "";
    const links = [...body.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link);
    return links.filter((link) => !/^https?:/.test(link)).map((link) =>
      link.startsWith("#") ? address + link : posix.join(posix.dirname(address), link)
    ).filter((link) => !ids.has(link)).map((link) => `${file}: ${link}`);
  });
  assert.ok(ids.size > 400);
  assert.deepEqual(wrong, []);
});

Deno.test("links to files that are not on the site lead to the source, or are none", () => {
  assert.equal(siteLink("../action.yml", "docs/ci.md", null), null);
  assert.equal(siteLink("../action.yml", "docs/ci.md", "https://a/b"), "https://a/b/action.yml");
  assert.equal(siteLink("../ci.md#gitlab", "docs/decisions/0001-a.md", null), "../ci.html#gitlab");
  assert.equal(siteLink("docs/ci.md", "README.md", null), "docs/ci.html");
});

Deno.test("sections have addresses of their own, and words of a section find it", () => {
  const byId = new Map(SECTIONS.map((section) => [section.id, section]));
  assert.equal(SECTIONS.length, byId.size);
  const index = new MiniSearch({ fields: ["heading", "title", "text"] });
  index.addAll([...byId.values()]);
  const [found] = index.search("pull request comment fork", { combineWith: "AND" });
  assert.match(found.id, /^docs\/ci\.html#/);
});
