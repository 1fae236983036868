/** How the targets of each scenario compare with one of them; a reader of the page chooses with which. */
import { type Block, figure, group, table } from "../blocks.ts";
import type { ReportContext, Subject } from "./subject.ts";
import type { Based } from "./verdict/compared_scenarios.ts";

export const compared: Subject<ReportContext> = {
  id: "compared",
  title: "Relative comparison",
  depth: "detail",
  build: ({ scenarios, bases }) => {
    const against = (based: readonly Based[], finding = ""): Block[] =>
      scenarios.map(({ name }, i) =>
        group(name, forestBlocks(based[i], i + 1, finding), { id: String(i + 1) })
      );
    return [{
      kind: "alternatives",
      label: "Compare with",
      standard: "the base of the experiment",
      blocks: against(scenarios.map(({ compared }) => compared)),
      others: () =>
        bases().map(({ base, scenarios, finding }) => ({
          name: base,
          blocks: against(scenarios, finding),
        })),
    }];
  },
};

function forestBlocks({ forest, table: values }: Based, number: number, finding: string): Block[] {
  if (values === null || forest.length === 0) return [];
  return [
    figure(forest, {
      id: String(number),
      findings: [{ code: "compared", text: finding }],
      reading: number === 1 ? FOREST : "",
      values,
      forms: ["page"],
    }),
    table(values, { forms: ["markdown"] }),
  ];
}

export const FOREST =
  "Each row compares a target with the reference, which is 1. The dot is the ratio, its line the 95 % confidence interval. Within the grey band both are equivalent. A target is better or worse if its whole interval lies outside the band, and Holm's correction for multiple comparisons and the exact test of pairs agree. A hollow dot is inconclusive: more runs would decide. The axis is logarithmic, so twice and half are equally far from 1.";
