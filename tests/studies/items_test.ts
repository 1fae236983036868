/** docs/studies-items.md: every name in it is there, and no claim and no published table of a study lacks a row. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FIGURE_NAMES } from "../../base/figures/figure.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { readPage } from "../pages/page.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const { text } = readPage("docs/studies-items.md");

/** The experiments of each section, in its order. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  "000": ["wiki-caching", "wiki-users"],
  "001": ["scicat-baseline"],
  "002": ["user-endpoint"],
  "003": ["site-caching"],
  "004": ["kuffel-walter", "cold-instance", "generators"],
};

function named(name: string): { readonly rows: readonly string[]; readonly others: Set<string> } {
  const { claims = [], published = [], targets, scenarios, parameters = {}, load } =
    parseExperiment(experiments[name], `${name}.yaml`, { set: {} });
  const rows = [
    ...claims.map((claim) => claim.text),
    ...[published].flat().flatMap(({ source }) => source ?? []),
  ];
  const scales = Object.keys(parameters).includes("scale") ? ["scale=small", "scale=paper"] : [];
  const keys = [targets, scenarios, load, ...Object.values(scenarios).map(({ load }) => load ?? {})]
    .flatMap(Object.keys);
  return { rows, others: new Set([name, ...keys, ...scales]) };
}

function codesOf(part: string): string[] {
  return [...part.matchAll(/`([^`]+)`/g)].map(([, code]) => code.replaceAll("\\|", "|"));
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
}
