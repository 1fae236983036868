/**
 * The words of reports, for a reviewer to read: of each fixture what a terminal and markdown show. Written anew by
 * `deno run -A tests/report/golden.ts`.
 */
import type { Document } from "../../report/document.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { comparedDocument } from "../../report/subjects/comparison/document.ts";
import { reportModel } from "../../report/model.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results } from "../../runner/result/result.ts";
import {
  ALIKE,
  based,
  doubted,
  inScenarios,
  LEADS,
  many,
  NOISY,
  OFFERED,
  SEEMS,
  survivors,
  together,
  TWO,
  unsettled,
  WAITING,
} from "./concluded.ts";
import { besideNeighbour, slicedComparison, type SlicedSpec, slicedTargets } from "./sliced.ts";
import { around, resultsAt } from "./rates.ts";
import { capacities } from "./searched.ts";
import { THREE, trendIn } from "./trended.ts";

const OPTIONS = { width: 80, color: false, unicode: true };
const quiet = based("quiet", resultsAt({ quiet: around(1_000), logging: around(480) }));
const SIDES = { a: around(1_000), b: around(2_000) };
const slower = resultsAt({ a: around(800), b: around(2_000) });
const ALL_NEW = (): Results => doubted(resultsAt({ a: around(800), b: around(1_000) }), () => true);

const EXPERIMENTS: Readonly<Record<string, () => Results>> = {
  leads: () => resultsAt(TWO),
  depends: many,
  partly: () => together(...[LEADS, LEADS, ALIKE, NOISY, SEEMS].map((rates) => resultsAt(rates))),
  separate: () => inScenarios(OFFERED, WAITING),
  equivalent: () => resultsAt({ a: around(1_000), b: around(2_000), c: around(2_003) }),
  likely: () => together(resultsAt(SEEMS), resultsAt(SEEMS)),
  undecided: () => resultsAt(NOISY),
  unsettled: () =>
    unsettled(resultsAt({ ...LEADS, wild: around(3_000) }), ({ target }) => target === "wild"),
  short: () => resultsAt(TWO, (target) => ({ wrongRatio: target === "b" ? 0.1 : 0 })),
  survivors,
  alone: () => resultsAt({ a: around(1_000) }),
  capacity: () =>
    capacities({ slow: { perSec: 1_000 }, fast: { perSec: 2_000, bound: "generator" } }),
  costs: () => quiet,
  gains: () => based("a", resultsAt({ a: around(1_000), b: around(2_000), c: NOISY.a })),
  leaning: () => doubted(resultsAt(TWO), ({ repetition }) => repetition > 1),
  nothing: () => doubted(resultsAt(TWO), () => true),
  "slices-busy": () => besideNeighbour(slicedTargets({ processes: 5, pairs: 30, ratio: 2 })),
};

const COMPARISONS: Readonly<Record<string, readonly [base: Results, next: Results]>> = {
  "compared-costs": [resultsAt(SIDES), slower],
  "compared-nothing": [resultsAt(SIDES), ALL_NEW()],
};

const SLICED: Readonly<Record<string, SlicedSpec>> = {
  "slices-worse": { processes: 13, pairs: 60, ratio: 0.9, between: 0.01 },
  "slices-these-two": { processes: 9, pairs: 40, ratio: 0.9, areRunning: true },
  "slices-disturbed": { processes: 9, pairs: 40, ratio: 1, restless: 0.3 },
};

function documents(): [name: string, Document][] {
  return [
    ...Object.entries(EXPERIMENTS).map((
      [name, results],
    ): [string, Document] => [name, reportModel(results())]),
    ...Object.entries(COMPARISONS).map((
      [name, [base, next]],
    ): [string, Document] => [name, comparedDocument(compareResults(base, next))]),
    ...Object.entries(SLICED).map((
      [name, spec],
    ): [string, Document] => [name, comparedDocument(slicedComparison(spec))]),
    ["trend", trendIn(...THREE).document],
  ];
}

/** By the name of each file its text. */
export function golden(): Map<string, string> {
  return new Map(
    documents().flatMap(([name, document]) => [
      [`${name}.txt`, String(renderSummary(document, OPTIONS))],
      [`${name}.md`, String(renderMarkdown(document))],
    ]),
  );
}

export const GOLDEN = new URL("./golden/", import.meta.url);

if (import.meta.main) {
  Deno.mkdirSync(GOLDEN, { recursive: true });
  for (const [name, text] of golden()) Deno.writeTextFileSync(new URL(name, GOLDEN), text);
}
