/** Links of the pages lead somewhere. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { VERSION } from "../../base/version.ts";
import { isCommandName } from "../../cli/registry.ts";
import { anchorOf } from "../../bench/pages/site.ts";
import { type Page, PUBLIC, readDecisions, readPage, readPages } from "./page.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const PAGES = readPages();

for (const page of [...PAGES, ...readDecisions(), ...PUBLIC.map(readPage)]) {
  Deno.test(`the links of ${page.file} lead somewhere`, () => {
    assert.deepEqual(linksOf(page).filter((link) => !leads(page, link)), []);
  });
}

Deno.test("README.md links every page of docs/", () => {
  const links = linksOf(readPage("README.md"));
  const missing = PAGES.filter(({ file }) => file !== "README.md" && !links.includes(file));
  assert.deepEqual(missing.map(({ file }) => file), []);
});

Deno.test("the changelog has what is to come and this version, newest first", () => {
  const { text } = readPage("CHANGELOG.md");
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  assert.equal(headings[0], "[Unreleased]");
  const versions = headings.slice(1).map((heading) =>
    /^\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/.exec(heading)?.[1]
  );
  assert.equal(versions[0], VERSION);
  assert.deepEqual(versions.filter((version) => version === undefined), []);
});

Deno.test("llms.txt names every command that it needs as the program has them", () => {
  const { text } = readPage("llms.txt");
  const named = [...text.matchAll(/`plateau ([a-z]+)/g)].map(([, command]) => command);
  assert.ok(named.length > 8);
  assert.deepEqual(named.filter((command) => !isCommandName(command)), []);
  assert.match(text, /^# .+\n\n> .+\n/);
});

Deno.test("the paths that docs/contributing.md names exist", () => {
  const { text } = readPage("docs/contributing.md");
  const rooms = "base|bench|cli|deploy|docs|examples|report|runner|scenarios|targets|tests";
  const paths = [...text.matchAll(new RegExp(`(?<![\\w/.])(?:${rooms})/[\\w./-]*\\w`, "g"))];
  assert.ok(paths.length > 40);
  assert.deepEqual(paths.map(([path]) => path).filter((path) => !existsSync(join(ROOT, path))), []);
});

Deno.test("the records of docs/decisions are numbered, in its index, and say why on a page", () => {
  const records = readDecisions();
  const index = records.splice(-1)[0];
  assert.equal(index.file, "docs/decisions/README.md");
  const numbers = records.map(({ text }) => /^# (\d{4}): \S.*\n/.exec(text)?.[1]);
  assert.deepEqual(numbers, numbers.map((_, i) => `${i + 1}`.padStart(4, "0")));
  const links = linksOf(index);
  for (const { file, text } of records) {
    assert.ok(links.includes(file.replace("docs/decisions/", "")), file);
    assert.ok(file.includes(`/${text.slice(2, 6)}-`), file);
    const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(parts, ["Context", "Decision", "Figures", "Consequences"], file);
    const prose = text.split("\n").filter((line) => !line.startsWith("|")).join(" ");
    assert.ok(prose.split(/\s+/).length <= 500, file);
  }
});

Deno.test("a link whose text is the name of a page leads to that page", () => {
  const named = new Map(PAGES.flatMap((page) => namesOf(page).map((name) => [name, page.file])));
  assert.equal(named.get("the report"), "docs/report.md");
  assert.equal(named.get("command line"), "docs/command-line.md");
  const misnamed = PAGES.flatMap((page) =>
    pageLinksOf(page).filter(({ text, to }) => (named.get(text) ?? to) !== to)
      .map(({ text, to }) => `${page.file}: [${text}] leads to ${to}`)
  );
  assert.deepEqual(misnamed, []);
});

/** What a link calls a page: the name of its file, or its title, also without an article or a subtitle; in lower case. */
function namesOf({ file, text }: Page): string[] {
  if (file === "README.md") return [];
  const title = /^# (.*)$/m.exec(text)?.[1].toLowerCase() ?? "";
  const short = title.replace(/^the /, "").replace(/: .*/, "");
  return [basename(file, ".md").replaceAll("-", " "), title, short, `the ${short}`];
}

/** The links to pages, each with its text in lower case and the page that it leads to. */
function pageLinksOf({ file, text }: Page): { text: string; to: string }[] {
  return [...text.matchAll(/\[([^\][]+)\]\(([^)\s#:]*)(?:#[^)\s]*)?\)/g)]
    .filter(([, , path]) => path === "" || path.endsWith(".md"))
    .map(([, words, path]) => ({
      text: words.replaceAll(/\s+/g, " ").toLowerCase(),
      to: path === "" ? file : normalize(join(dirname(file), path)),
    }));
}

function linksOf({ text }: Page): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
  return links.filter((link) => !/^https?:/.test(link));
}

/** To a file or folder, and to a heading of it. */
function leads({ file, text }: Page, link: string): boolean {
  const [path, anchor] = link.split("#");
  const to = normalize(join(ROOT, dirname(file), path));
  if (path !== "" && !existsSync(to)) return false;
  if (anchor === undefined) return true;
  const target = path === "" ? text : readFileSync(to, "utf8");
  return [...target.matchAll(/^#+ (.*)$/gm)].some(([, heading]) => anchorOf(heading) === anchor);
}
