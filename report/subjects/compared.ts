/** How the targets of each scenario compare with one of them, which a reader of the page can choose. */
import { type Block, figure, FORMS, group, list, table, text } from "../blocks.ts";
import { isValid } from "../findings/trust.ts";
import { areTargetsMovedAlike } from "../judge/slices.ts";
import type { ReportContext } from "./subject.ts";
import { comparedTexts } from "./tables/compared.ts";
import type { Based, ScenarioComparison } from "./verdict/compared_scenarios.ts";

export function compared({ results, scenarios, bases }: ReportContext): Block[] {
  const rows = scenarios.flatMap(({ compared }) => compared.rows);
  const isShort = rows.length <= MOST_IN_TERMINAL;
  const isTrusted = results.runs.some(isValid) || areTargetsMovedAlike(results);
  const doubt = isTrusted || rows.length === 0 ? "" : DOUBT;
  const against = (based: readonly Based[], finding = ""): Block[] =>
    scenarios.map(({ name }, i) =>
      group(name, forestBlocks(based[i], i + 1, finding), { id: String(i + 1) })
    );
  return [
    { ...text("doubt", doubt, "warning"), forms: isShort ? FORMS : ["page", "markdown"] },
    ...scenarios.map(({ name, compared }) =>
      group(name, isShort ? compared.rows.map(rowList) : [])
    ),
    {
      kind: "alternatives",
      label: "Compare with",
      standard: "the base of the experiment",
      blocks: against(scenarios.map(({ compared }) => compared)),
      others: () =>
        bases().map(({ base, scenarios, finding }) => ({
          name: base,
          blocks: against(scenarios, finding),
        })),
    },
  ];
}

/** The most comparisons that a terminal shows. */
const MOST_IN_TERMINAL = 4;

const DOUBT =
  "No run behind these ratios is valid, so the ratios may be due to the generator or the machine.";

function rowList({ name, base, comparison, cells }: ScenarioComparison["rows"][number]): Block {
  return list(comparedTexts(comparison, cells).map((text) => ({ code: "cell", text })), {
    title: `${name} over ${base}`,
    forms: ["terminal"],
  });
}

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
