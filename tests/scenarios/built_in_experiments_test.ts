/** The built-in experiments as files: every name in them means what is there, whatever is chosen. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim, ClaimSide, FigureSide } from "../../scenarios/claims/claim.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { choiceOf, chosenCells } from "../../base/figures/cells.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { type Cell, planCells } from "../../scenarios/plan/plan.ts";
import type { PublishedValues } from "../../scenarios/claims/published.ts";
import {
  cellsIn,
  type ExperimentNames,
  namesInCells,
  parseSelector,
  SCENARIO,
  selectionOf,
  type Selector,
  TARGET,
} from "../../base/figures/selector.ts";

/** Those that reproduce a study; the demo has no published figures and no scale. */
const STUDIES = Object.keys(experiments).filter((name) => name !== "quick");

interface Read {
  readonly experiment: Experiment;
  readonly cells: readonly Cell[];
}

function read(name: string, scale: string): Read {
  const experiment = parseExperiment(experiments[name], `${name}.yaml`, { set: { scale } });
  return { experiment, cells: planCells(experiment) };
}

function namesIn({ experiment, cells }: Read): ExperimentNames {
  return {
    targets: Object.keys(experiment.targets),
    scenarios: Object.keys(experiment.scenarios),
    factors: namesInCells(cells).factors,
  };
}

/** Labels of the cells that a selector means. */
function meant(selector: Selector, all: Read): string[] {
  const found = selectionOf(selector, namesIn(all));
  assert.ok("value" in found, `${selector.text}: ${"problem" in found ? found.problem : ""}`);
  return cellsIn(found.value, all.cells).map((cell) =>
    JSON.stringify([cell.target, cell.scenario, cell.parameters])
  );
}

function selectorOf(text: string): Selector {
  const read = parseSelector(text);
  assert.ok("value" in read, text);
  return read.value;
}

/** The keys to every published value, as a selector. */
function keysOf(values: PublishedValues, before: readonly string[] = []): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === "object" ? keysOf(value, [...before, key]) : [[...before, key].join(", ")]
  );
}

function selectorsOf({ says }: Claim): FigureSide["selector"][] {
  if (says.kind === "warmup") return [says.selector];
  if (says.kind === "correlation") return [says.selector, says.other ?? says.selector];
  if (says.kind === "ratios") {
    return [says.left, says.right].flatMap(({ of, to }) => [of.selector, to.selector]);
  }
  const ofSide = (side: ClaimSide): FigureSide["selector"][] =>
    side.kind === "figure" ? [side.selector] : [];
  return [says.left, says.right].flatMap(ofSide);
}

Deno.test("a study's file says what it is of, and what it asks", () => {
  for (const name of STUDIES) {
    const { experiment } = read(name, "small");
    assert.equal(experiment.name, name);
    assert.match(experiment.title ?? "", /\?$/, name);
    assert.ok(experiment.source, name);
    assert.ok((experiment.claims ?? []).length > 0, name);
    for (const claim of experiment.claims ?? []) assert.ok(claim.source, `${name}: ${claim.text}`);
    for (const table of [experiment.published ?? []].flat()) assert.ok(table.source, name);
  }
});

for (const name of STUDIES) {
  for (const scale of ["small", "paper"]) {
    const all = read(name, scale);
    const tables = [all.experiment.published ?? []].flat();

    Deno.test(`each published figure of ${name} is of one cell, at scale ${scale}`, () => {
      for (const { source, figure, relative, values } of tables) {
        const cells = keysOf(values).map((keys) => {
          const found = meant(selectorOf(keys), all);
          assert.equal(found.length, 1, `${source}, ${keys} is of ${found}`);
          return found[0];
        });
        assert.equal(new Set(cells).size, cells.length, `${source}, ${figure}: a cell twice`);
        if (relative === null) continue;
        const [base, ...more] = meant(selectorOf(relative), all);
        assert.ok(cells.includes(base) && more.length === 0, `${source}: ${relative}`);
      }
    });

    Deno.test(`each claim of ${name} is of cells that are there, at scale ${scale}`, () => {
      for (const claim of all.experiment.claims ?? []) {
        for (const selector of selectorsOf(claim)) {
          const choice = choiceOf(selector, namesIn(all));
          assert.ok("value" in choice, `${claim.text}: ${selector.text}`);
          const cells = chosenCells(choice.value, all.cells);
          const [targets, scenarios] = [TARGET, SCENARIO].map((of) => choice.value.named.get(of));
          const count = (targets?.length ?? 1) * (scenarios?.length ?? 1);
          assert.ok(cells.length >= count, `${claim.text}: ${selector.text}`);
        }
      }
    });
  }
}

Deno.test("a study that claims responses with an error status expects them, and so can exit with 0", () => {
  const claimed = STUDIES.flatMap((name) => {
    const all = read(name, "small");
    return (all.experiment.claims ?? []).flatMap(({ text, says }) => {
      const isOf = says.kind === "within" || (says.kind === "compare" && /[>≥]/.test(text));
      if (!isOf || says.left.kind !== "figure") return [];
      const [, first] = /^([45])xx/.exec(says.left.figure) ?? [];
      const choice = choiceOf(says.left.selector, namesIn(all));
      if (first === undefined || !("value" in choice)) return [];
      return chosenCells(choice.value, all.cells).map(({ scenario }) => {
        const spec = all.experiment.scenarios[scenario];
        const statuses = "expect" in spec ? [spec.expect.status ?? []].flat() : [];
        return { text, isExpected: statuses.some((status) => `${status}`.startsWith(first)) };
      });
    });
  });
  assert.ok(claimed.length > 0);
  assert.deepEqual(claimed.filter(({ isExpected }) => !isExpected), []);
});

Deno.test("what can be set of a study is used at either scale, with its own figures at scale paper", () => {
  for (const name of STUDIES) {
    const [small, paper] = ["small", "paper"].map((scale) => read(name, scale).experiment);
    assert.deepEqual(
      Object.keys(small.parameters ?? {}),
      Object.keys(paper.parameters ?? {}),
      name,
    );
  }
  const { parameters } = read("wiki-caching", "paper").experiment;
  const users = { high: "100/s", peak: "200/s", spike: "50/s", patience: "10s", gateway: "5s" };
  assert.deepEqual(parameters, { scale: "paper", tier: "unlimited", ...users });
  const set = { scale: "paper", high: "300/s" };
  const { scenarios } = parseExperiment(experiments["wiki-caching"], "wiki.yaml", { set });
  const [{ fromPerSec, durationUs }] = Object(scenarios.high.load).phases[0].parts;
  assert.deepEqual([fromPerSec, durationUs], [300, 60_000_000]);
});

Deno.test("at scale paper as much is run as was published, with all that is run at scale small", () => {
  for (const name of STUDIES) {
    const [small, paper] = [read(name, "small"), read(name, "paper")];
    const labels = ({ cells }: Read): string[] =>
      cells.map((cell) => JSON.stringify([cell.target, cell.scenario, cell.parameters]));
    const missing = labels(small).filter((label) => !labels(paper).includes(label));
    assert.deepEqual(missing, [], name);
  }
  const kuffel = read("kuffel-walter", "paper").cells;
  assert.equal(kuffel.filter(({ target }) => target !== "gin-traced").length * 10, 450);
  assert.equal(kuffel.length, 46);
});

Deno.test("the wiki has the limits of a tier for who asks for it, and none otherwise", () => {
  const limitsOf = (set: Record<string, string>): unknown => {
    const { targets } = parseExperiment(experiments["wiki-caching"], "wiki.yaml", { set });
    return "limits" in targets.plain ? targets.plain.limits : undefined;
  };
  assert.equal(limitsOf({}), undefined);
  assert.deepEqual(limitsOf({ tier: "small" }), { cpu: 0.5, memory: "512MB" });
  assert.deepEqual(limitsOf({ tier: "larger", scale: "paper" }), { cpu: 1, memory: "2GB" });
});

Deno.test("docs/studies.md links the file of each study", () => {
  const page = readFileSync(join(import.meta.dirname ?? "", "../../docs/studies.md"), "utf8");
  for (const name of STUDIES) {
    assert.ok(page.includes(`](../scenarios/experiments/${name}.yaml)`), name);
  }
});
