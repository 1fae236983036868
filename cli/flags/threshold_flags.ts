/** `--threshold` and `--baseline`: pass/fail rules, and what they may compare with. */
import { z } from "zod";
import { type Problem, UserError } from "../../base/errors.ts";
import type { Grouped } from "../../report/model/runs/cells.ts";
import { type Threshold, thresholdText } from "../../scenarios/claims/threshold.ts";
import type { Parts } from "../command_line/command.ts";

export const thresholdFlag = {
  threshold: {
    flags: "--threshold <RULE>",
    about:
      'A pass/fail rule, such as "p99 < 50ms" or "success >= 99.9%": exit code 1 when it fails, ' +
      "5 when the evidence decides nothing; may be repeated",
    repeatable: true,
    schema: z.array(thresholdText).default([]),
  },
} satisfies Parts;

export const thresholdFlags = {
  ...thresholdFlag,
  baseline: {
    flags: "--baseline <FILE>",
    about:
      'Earlier results that thresholds such as "p99 not worse than baseline by 5%" compare with',
    schema: z.string().min(1).optional(),
  },
} satisfies Parts;

/** What the thresholds compare with; null when none does. Throws a UserError when it is missing or wrong. */
export async function readBaseline(
  thresholds: readonly Threshold[],
  path: string | undefined,
): Promise<Grouped | null> {
  const [asking] = thresholds.filter(({ against }) => against === "baseline");
  if (asking === undefined && path === undefined) return null;
  if (asking === undefined) throw new UserError([NOBODY_ASKS]);
  if (path === undefined) throw new UserError([withoutBaseline(asking)]);
  const { readMeasured } = await import("../results/result_reading.ts");
  const { groupedOf } = await import("../results/bench_run.ts");
  return groupedOf(await readMeasured(path));
}

const NOBODY_ASKS: Problem = {
  place: "--baseline",
  message: "Cannot use a baseline: no threshold compares with it",
  fix: 'add --threshold "p99 not worse than baseline by 5%"',
};

function withoutBaseline({ text }: Threshold): Problem {
  return {
    place: "--baseline",
    message: `Cannot judge "${text}" without a baseline`,
    fix: "name earlier results: --baseline results.json",
  };
}
