/** How the targets of each scenario compare with the base. */
import { type Block, figure, group, table } from "../blocks.ts";
import type { ReportContext, Subject } from "./subject.ts";
import type { ScenarioComparison } from "./verdict/compared_scenarios.ts";

export const compared: Subject<ReportContext> = {
  id: "compared",
  title: "Relative comparison",
  depth: "detail",
  build: ({ scenarios }) =>
    scenarios.map(({ name, compared }, i) =>
      group(name, forestBlocks(compared, i + 1), { id: String(i + 1) })
    ),
};

function forestBlocks({ forest, table: values }: ScenarioComparison, number: number): Block[] {
  if (values === null || forest.length === 0) return [];
  return [
    figure(forest, {
      id: String(number),
      reading: number === 1 ? FOREST : "",
      values,
      forms: ["page"],
    }),
    table(values, { forms: ["markdown"] }),
  ];
}

export const FOREST =
  "Each row compares a target with the reference, which is 1. The dot is the ratio, its line the 95 % confidence interval. Within the grey band both are equivalent. A target is better or worse if its whole interval lies outside the band, and Holm's correction for multiple comparisons and the exact test of pairs agree. A hollow dot is inconclusive: more runs would decide. The axis is logarithmic, so twice and half are equally far from 1.";
