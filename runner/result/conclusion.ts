/**
 * The conclusions of a report about the experiment and its claims, with the sentences and figures that the report
 * shows.
 */
import * as z from "zod";

const end = z.number().nullable();
const count = z.int().nonnegative();
const certainty = z.enum(["decided", "likely", "open"]);

const figure = z.strictObject({
  text: z.string(),
  interval: z.string().describe("Interval, such as `[2.70, 3.05]`; empty if there is none"),
  label: z.string(),
  value: end.describe("The value; null: the text is a range of several values"),
  low: end,
  high: end,
  unit: z.string().describe("The unit: ×, %, or a count such as requests/s"),
  certainty,
});

const forest = z.strictObject({
  title: z.string(),
  better: z.enum(["higher", "lower"]),
  margin: z.number().min(1).describe("Ratios from 1 / margin to margin count as equal"),
  rows: z.array(z.strictObject({
    label: z.string(),
    color: count,
    ratio: z.number().nonnegative(),
    low: end,
    high: end,
    certainty,
    text: z.string(),
    word: z.string(),
  })),
  omitted: count.describe("Number of comparisons that have no row here"),
});

const reliability = z.strictObject({
  survival: z.enum([
    "all-valid",
    "none-valid",
    "in-turns",
    "uncompared",
    "same",
    "held-back",
    "partly",
    "open",
    "fewer",
    "changed",
  ]).describe("Whether and how the verdict changes without the disturbed runs"),
  light: z.enum(["green", "amber", "red"]),
  valid: count,
  runs: count,
  level: z.enum(["valid", "suspect", "invalid"]).describe("Level of trust of the worst run"),
  sentence: z.string(),
});

const matrix = z.strictObject({
  columns: z.array(z.strictObject({
    label: z.string(),
    scenario: z.string(),
    figure: z.enum(["rate", "p50", "p99"]),
    unit: z.string().optional().describe(
      "What a rate counts, such as visits/s; absent: requests/s",
    ),
  })),
  rows: z.array(z.strictObject({
    label: z.string(),
    color: count,
    cells: z.array(
      z.strictObject({
        label: z.string(),
        scenario: z.string(),
        text: z.string(),
        value: z.number().describe("Requests/s, or the p99 in ms"),
        ratio: end.describe("Ratio to the best value of the column; null: not compared"),
        ratioText: z.string(),
        certainty: z.enum(["best", "decided", "likely", "open", "none"]),
        shortfall: z.string().describe(
          "How the target falls short, such as `times out on 19 %` (of the requests); empty if it does not",
        ),
      }).nullable(),
    ),
  })),
});

const winner = z.strictObject({
  setting: z.string(),
  winner: z.string().nullable().describe("The target that wins at this setting; null: none"),
  first: z.string().optional().describe(
    "The best target at this setting, even if no target wins; ratio compares it with rival. Absent in older files",
  ),
  rival: z.string().nullable().describe(
    "The target that the best is compared with; null: no other target keeps up",
  ),
  figure: z.string().describe("The figure that decides, such as requests/s or p99"),
  ratio: end,
  low: end,
  high: end,
  margin: z.string().describe(
    "Ratio with its interval, such as `1.33× [1.20, 1.47]`; empty if there is none",
  ),
  certainty,
  word: z.string(),
});

export const conclusion = z.strictObject({
  question: z.string(),
  code: z.enum([
    "leads",
    "depends",
    "separate",
    "equivalent",
    "undecided",
    "unsettled",
    "falls-short",
    "alone",
    "nothing-valid",
    "incomparable",
    "costs",
    "gains",
  ]).optional().describe("The kind of verdict; absent in older files"),
  sentence: z.string().describe("The verdict; empty if no run got a response"),
  notes: z.array(z.string()).optional().describe("Notes that a reader needs with the verdict"),
  winners: z.array(winner).optional().describe("The winner at each of several settings"),
  figure: figure.nullable(),
  forest: forest.nullable(),
  reliability: reliability.nullable(),
  claims: z.strictObject({
    reproduced: count,
    "not reproduced": count,
    inconclusive: count,
  }).nullable(),
  next: z.array(z.strictObject({
    code: z.enum([
      "take-turns",
      "mend-runs",
      "add-runs",
      "longer-runs",
      "lower-rate",
      "check-targets",
      "more-runs-of-groups",
      "equal-settings",
      "none",
    ]),
    text: z.string(),
  })),
  matrix: matrix.nullable(),
});

export const verdicts = z.array(z.strictObject({
  claim: z.string().describe("The claim as written"),
  source: z.string().describe(
    "The place of the claim in its source; empty if the experiment does not name it",
  ),
  note: z.string().describe("A note for the reader; empty: none"),
  outcome: z.enum(["reproduced", "not reproduced", "inconclusive"]),
  isDecidable: z.literal(false).optional().describe(
    "False if the claim can't be decided here, because this set-up does not meet the claim's `given`",
  ),
  found: z.string().describe(
    "The ratio or figure of the cell that is worst for the claim; empty: none",
  ),
  held: z.string().describe(
    "In how many of its cells the claim holds, such as `3 of 4 cells`; empty if it is about one cell only",
  ),
  sentence: z.string().describe(
    "The result and, if the claim remains open, the reason",
  ),
  doubt: z.string().describe(
    "What keeps the claim open, such as cells that were not measured or an interval that is too wide; empty: nothing",
  ),
}));

export type Verdicts = z.output<typeof verdicts>;

export type Conclusion = z.output<typeof conclusion>;
