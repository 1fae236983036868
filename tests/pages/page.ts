/**
 * A page of the documentation: its fenced blocks, each with the comment on the line before it. The comment
 * says what a test does with the block:
 *
 * - `<!-- file: NAME -->`: the block is that file of the reader's folder;
 * - `<!-- start -->`: a program that runs until the page's end, such as a server;
 * - `<!-- example -->`: a shell runs it; `<!-- example: exit 5, needs redis nginx, in repository -->`;
 * - `<!-- prints -->`: lines that the example before prints, with numbers of their own.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname ?? "", "../..");

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The comment's words; empty without one. */
  readonly mark: string;
  /** Stands before the page's first heading of the second level. */
  readonly isOpening: boolean;
}

export interface Page {
  /** Relative to the root. */
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Files of the repository's top level that link to others. */
export const PUBLIC = [
  ...["CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "llms.txt"],
];

/** README.md and every page of docs/. */
export function readPages(): Page[] {
  return ["README.md", ...pagesIn("docs")].map(readPage);
}

/** The records of docs/decisions/ and their index, which begin with no example. */
export function readDecisions(): Page[] {
  return pagesIn("docs/decisions").map(readPage);
}

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => `${folder}/${name}`);
}

export function readPage(file: string): Page {
  const text = readFileSync(join(ROOT, file), "utf8");
  return { file, text, blocks: blocksOf(text) };
}

const BLOCK = /(?:^<!-- (?<mark>.+?) -->\n\n?)?^```(?<language>\w*)\n(?<text>.*?)^```$/gms;

function blocksOf(text: string): Block[] {
  const heading = text.indexOf("\n## ");
  return [...text.matchAll(BLOCK)].map(({ index, groups = {} }) => ({
    language: groups.language,
    text: groups.text,
    mark: groups.mark ?? "",
    isOpening: heading < 0 || index < heading,
  }));
}
