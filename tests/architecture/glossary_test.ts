/**
 * One language: names, messages, comments and pages use the field's words, and a name means one thing.
 */
import assert from "node:assert/strict";
import { ALLOWED, type Allowed, offencesIn, type Place, wordsOf } from "./glossary.ts";
import { DECLARED_TWICE } from "./declared_twice.ts";
import { files, program, surveyOf } from "./sources.ts";
import { readText } from "./tree.ts";

interface Use {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly place: Place;
}

const pages = files.filter((file) => /^(?:README|docs\/[\w/-]+)\.md$/.test(file));
const uses: readonly Use[] = [...program.flatMap(usesInSource), ...pages.flatMap(usesInPage)];

Deno.test("nothing uses a word of our own where the field has one", () => {
  const wrong = uses.filter((use) => !ALLOWED.some((allowed) => isFor(allowed, use)))
    .flatMap((use) => offencesIn(use.text, use.place).map((what) => ({ ...use, what })));
  const lines = wrong.map(({ file, line, place, what, text }) =>
    `${file}:${line} ${place}: ${what} in ${JSON.stringify(text.trim().slice(0, 80))}`
  );
  assert.equal(lines.length, 0, lines.join("\n"));
});

Deno.test("every exception to the glossary is still needed", () => {
  const idle = ALLOWED.filter((allowed) =>
    !uses.some((use) => isFor(allowed, use) && offencesIn(use.text, use.place).length > 0)
  );
  assert.deepEqual(idle, []);
});

Deno.test("a banned word is found in every form in which a name can have it", () => {
  assert.deepEqual(wordsOf("wasToldAt"), ["was", "told", "at"]);
  assert.deepEqual(wordsOf("TOLD_BY_HTTPServer"), ["told", "by", "http", "server"]);
  for (const name of ["wasTold", "TOLD_AT", "#told", "told_by"]) {
    assert.equal(offencesIn(name, "names").length, 1, name);
  }
  assert.equal(offencesIn("It can't be told.", "texts").length, 2);
  assert.deepEqual(offencesIn("toldy untoldable", "texts"), []);
});

Deno.test("a name stands for one shape", () => {
  const declaredIn = Map.groupBy(
    program.flatMap((file) =>
      [...new Set(surveyOf(file).declarations)].map((name) => ({ name, file }))
    ),
    ({ name }) => name,
  );
  const twice = [...declaredIn].filter(([, places]) => places.length > 1);
  const unjustified = twice.filter(([name]) => !(name in DECLARED_TWICE));
  const lines = unjustified.map(([name, at]) =>
    `${name}: ${at.map(({ file }) => file).join(", ")}`
  );
  assert.equal(lines.length, 0, lines.join("\n"));
  const names = twice.map(([name]) => name);
  assert.deepEqual(Object.keys(DECLARED_TWICE).filter((name) => !names.includes(name)), []);
});

function isFor({ at, text }: Allowed, use: Use): boolean {
  if (at !== undefined && use.file !== at && !use.file.startsWith(`${at}/`)) return false;
  if (text === undefined) return true;
  return use.place === "names" ? use.text === text : use.text.includes(text);
}

function usesInSource(file: string): Use[] {
  const { identifiers, texts, comments } = surveyOf(file);
  const path: Use = { file, line: 1, text: file, place: "names" };
  return [
    path,
    ...[...identifiers].map(([text, line]): Use => ({ file, line, text, place: "names" })),
    ...texts.map(({ line, what }): Use => ({ file, line, text: what, place: "texts" })),
    ...comments.map(({ line, what }): Use => ({ file, line, text: what, place: "comments" })),
  ];
}

/** A line each, without what stands as code. */
function usesInPage(file: string): Use[] {
  let isCode = false;
  return readText(file).split("\n").flatMap((line, at): Use[] => {
    if (line.startsWith("```")) isCode = !isCode;
    const text = line.replaceAll(/`[^`]*`/g, "");
    return isCode ? [] : [{ file, line: at + 1, text, place: "pages" }];
  });
}
