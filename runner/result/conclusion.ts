/** What a report concludes of an experiment and of its claims, as scripts read it in the result files. */
import * as z from "zod";

const count = z.int().min(0);
const certainty = z.enum(["decided", "likely", "open"]);
const end = z.number().nullable();

/** As scripts need it of what the report shows first. */
export const conclusion = z.looseObject({
  question: z.string(),
  sentence: z.string().describe("The verdict; empty where no run got a response"),
  figure: z.looseObject({
    text: z.string(),
    label: z.string(),
    value: end.describe("Null: a range of several"),
    low: end,
    high: end,
    unit: z.enum(["×", "requests/s", "ms"]),
    certainty,
  }).nullable(),
  reliability: z.looseObject({
    survival: z.enum([
      "all-valid",
      "none-valid",
      "uncompared",
      "same",
      "partly",
      "open",
      "fewer",
      "changed",
    ])
      .describe("What becomes of the verdict without the runs that are not valid"),
    valid: count,
    runs: count,
    sentence: z.string(),
  }).nullable(),
  next: z.array(z.looseObject({ code: z.string(), text: z.string() })),
});

export const verdicts = z.array(z.strictObject({
  claim: z.string().describe("As it was written"),
  source: z.string().describe("Where it stands; empty where the experiment does not say"),
  note: z.string().describe("A note for the reader; empty for none"),
  outcome: z.enum(["reproduced", "not reproduced", "inconclusive"]),
  found: z.string().describe("The ratio or figure of the worst cell; empty where there is none"),
  held: z.string().describe("In how many cells it holds; empty for one"),
  sentence: z.string().describe("What was found, and what leaves it open"),
  doubt: z.string().describe(
    "What leaves it open: cells that were not measured, runs that are not valid, too wide an interval; empty for nothing",
  ),
}));

export type Verdicts = z.output<typeof verdicts>;
