/**
 * docs/studies-items.md: its quotations stand in the documents, every name in it is there and reads the row's numbers,
 * and no claim and no published table of a study lacks a row.
 */
import * as z from "zod";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FIGURE_NAMES } from "../../base/figures/figure.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { parametersSpec } from "../../scenarios/file/parameter_shape.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";
import { readPage } from "../pages/page.ts";
import { documentOf, isQuoted } from "./documents.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const { text } = readPage("docs/studies-items.md");

/** The experiments of each section, in its order. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  "000": ["wiki-caching", "wiki-users"],
  "001": ["scicat-baseline"],
  "002": ["user-endpoint"],
  "003": ["site-caching"],
  "004": ["kuffel-walter", "cold-instance", "generators", "turbofan"],
};

function named(name: string): { readonly rows: readonly string[]; readonly others: Set<string> } {
  const { claims = [], published = [], targets, scenarios, load } = parseExperiment(
    experiments[name],
    `${name}.yaml`,
    { set: {} },
  );
  const rows = [
    ...claims.map((claim) => claim.text),
    ...[published].flat().flatMap(({ source }) => source ?? []),
  ];
  const keys = [targets, scenarios, load, ...Object.values(scenarios).map(({ load }) => load ?? {})]
    .flatMap(Object.keys);
  return { rows, others: new Set([name, ...keys, ...choicesOf(name)]) };
}

const withParameters = z.object({ parameters: parametersSpec.default({}) });

/** All that `--set` may choose, as `scale=paper`. */
function choicesOf(name: string): string[] {
  const { parameters } = withParameters.parse(new YamlText(experiments[name], "").data);
  return Object.entries(parameters).flatMap(([key, value]) =>
    typeof value === "object" ? Object.keys(value).map((choice) => `${key}=${choice}`) : []
  );
}

/** Numbers of a text, without the comma of thousands. */
function numbersIn(text: string): number[] {
  const plain = text.replaceAll(/(?<=\d),(?=\d{3}\b)/g, "");
  return [...plain.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
}

/** As a claim may read a number of a sentence: itself, in thousands (5K, or seconds in ms), or a percentage as a share or a factor. */
function formsOf(number: number): number[] {
  const share = number / 100;
  return [number, 1_000 * number, share, 1 - share, 1 + share].map(rounded);
}

function rounded(number: number): number {
  return Number(number.toPrecision(9));
}

/** What only says where a statement stands. */
const PLACES =
  /\b(?:figures?|tables?|parts?|tests?|experience|appendix|section)(?:,? | and | to )*(?:[\d.]+(?:, | and | to )?)+|^[\d.]+(?: and [\d.]+)?(?=[:,]| |$)/gi;

/** By the text of a claim, or the source of a table: all numbers that it reads, or that its note tells. */
function readBy(name: string): Map<string, readonly number[]> {
  const { claims = [], published = [] } = parseExperiment(experiments[name], `${name}.yaml`, {
    set: {},
  });
  const tables = [published].flat();
  return new Map([
    ...claims.map(({ text, note = "" }) => [text, numbersIn(`${text} ${note}`)] as const),
    ...tables.map(({ source = "", figure, values }) =>
      [source, numbersIn(`${figure} ${source} ${JSON.stringify(values)}`)] as const
    ),
  ]);
}

/** The values of all tables, which stand beside ours. */
function publishedBy(name: string): number[] {
  const { published = [] } = parseExperiment(experiments[name], `${name}.yaml`, { set: {} });
  return [published].flat().flatMap(({ values }) => numbersIn(JSON.stringify(values)));
}

function codesOf(part: string): string[] {
  return [...part.matchAll(/`([^`]+)`/g)].map(([, code]) => code.replaceAll("\\|", "|"));
}

interface Row {
  readonly item: string;
  /** As it stands in the document; "" where the item is our own. */
  readonly quotation: string;
  readonly where: string;
}

function rowsOf(part: string): Row[] {
  const lines = part.split("\n").filter((line) => line.startsWith("|")).slice(2);
  return lines.map((line) => {
    const [, item = "", quoted = "", where = ""] = line.split(/(?<!\\)\|/);
    const quotation = /“(.*)”/.exec(quoted)?.[1] ?? "";
    return { item: item.trim(), quotation, where };
  });
}

const parts = [...text.matchAll(/^## Study (\d{3})[^\n]*\n(.*?)(?=^## |$(?![\s\S]))/gms)];

Deno.test("docs/studies-items.md has a section for each study", () => {
  assert.deepEqual(parts.map(([, study]) => study), Object.keys(SECTIONS));
});

for (const [, study, part] of parts) {
  const known = SECTIONS[study].map(named);
  const codes = codesOf(part);

  Deno.test(`no claim and no published table of study ${study} lacks a row`, () => {
    const missing = known.flatMap(({ rows }) => rows).filter((row) => !codes.includes(row));
    assert.deepEqual(missing, []);
  });

  Deno.test(`every row of study ${study} quotes the document word for word, but for what is ours`, () => {
    const document = documentOf(study);
    const wrong = rowsOf(part).filter(({ item, quotation }) =>
      item.startsWith("ours:") ? quotation !== "" : !isQuoted(quotation, document)
    );
    assert.deepEqual(wrong, []);
  });

  Deno.test(`every row of study ${study} names something of here, or says why there is nothing`, () => {
    const wrong = rowsOf(part).filter(({ where }) =>
      codesOf(where).length === 0 && where.trim().split(" ").length < 3
    );
    assert.deepEqual(wrong, []);
  });

  Deno.test(`every name in the rows of study ${study} is there`, () => {
    const figures: readonly string[] = FIGURE_NAMES;
    const unknown = codes.filter((code) =>
      !known.some(({ rows, others }) => rows.includes(code) || others.has(code)) &&
      !figures.includes(code) && !Object.hasOwn(experiments, code) &&
      !existsSync(join(ROOT, code)) &&
      !existsSync(join(ROOT, "cli/commands", `${/^plateau (\w+)$/.exec(code)?.[1]}.ts`))
    );
    assert.deepEqual(unknown, []);
  });

  Deno.test(`the claims and tables that a row of study ${study} names read the row's own numbers`, () => {
    const read = new Map(SECTIONS[study].flatMap((name) => [...readBy(name)]));
    const beside = SECTIONS[study].flatMap(publishedBy);
    const unread = rowsOf(part).flatMap(({ item, where }) => {
      const named = codesOf(where).filter((code) => read.has(code));
      if (named.length === 0) return [];
      const known = new Set(
        [...beside, ...named.flatMap((code) => read.get(code) ?? [])].map(rounded),
      );
      const own = numbersIn(item.replaceAll(PLACES, "").replaceAll(/\b\w*\dxx\b/g, ""));
      const missing = own.filter((number) => !formsOf(number).some((form) => known.has(form)));
      return missing.length === 0 ? [] : [`${item}: ${missing.join(", ")}`];
    });
    assert.deepEqual(unread, []);
  });
}

Deno.test("a quotation with a word changed, missing, in another order or from another document is none", () => {
  const document = documentOf("004");
  const right = "Fastify was just 23% less efficient than Gin in a Redis scenario";
  assert.ok(isQuoted(right, document));
  assert.ok(isQuoted(`Fastify was … less efficient than Gin`, document));
  for (
    const wrong of [
      right.replace("23", "24"),
      right.replace("just ", ""),
      right.replace("Fastify was", "was Fastify"),
      "less efficient than Gin … Fastify was just 23%",
      "",
      "…",
    ]
  ) assert.ok(!isQuoted(wrong, document), wrong);
  assert.ok(!isQuoted(right, documentOf("003")));
});
