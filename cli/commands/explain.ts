/**
 * `plateau explain ABOUT`: explains results and why to trust them or not, or explains a code that occurs in results.
 */
import * as z from "zod";
import { EXIT, UserError } from "../../base/errors.ts";
import { quotedOpenly } from "../../base/secrets.ts";
import { closest } from "../../base/suggest.ts";
import { adviceSentence, findingSentence, MEANINGS } from "../../report/findings/sentences.ts";
import { type TrustModel, trustOf, trustOfRuns } from "../../report/findings/trust.ts";
import { measurementBlocks } from "../../report/subjects/measurement.ts";
import { conclusionJson } from "../../report/subjects/verdict/conclusion.ts";
import { jsonText } from "../../report/writing/json.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { counted } from "../../report/writing/words.ts";
import type { Written } from "../../report/writing/written.ts";
import {
  ADVICE,
  type Advice,
  FINDING_CODES,
  type FindingCode,
  type TrustFinding,
} from "../../runner/result/findings.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { defineCommand } from "../command_line/arguments.ts";
import {
  outputConflicts,
  outputFlags,
  resultsRead,
  takesStdout,
  writeOutputs,
} from "../flags/output_flags.ts";
import { resultForms } from "../output/formats.ts";
import { readMeasured } from "../results/reading.ts";
import { print, terminalOptions } from "../terminal/terminal.ts";

const CODES: readonly string[] = [...FINDING_CODES, ...ADVICE];

export const explainCommand = defineCommand({
  parts: {
    about: {
      operand: "<ABOUT>",
      about: "A results.json, its folder, the JSON of bench, or the code of a finding or an advice",
      schema: z.string({
        error:
          "Cannot explain without a subject: name results, or the code of a finding or an advice",
      }),
    },
    json: outputFlags.json,
  },
  conflicts: (given) => outputConflicts(given, resultsRead([given.about])),
  async run({ about, json }): Promise<number> {
    const explained = await explanationOf(about);
    await writeOutputs({ json }, { json: () => jsonText(explained.json, 2) });
    if (!takesStdout({ json })) await print(...explained.texts);
    return EXIT.done;
  },
});

interface Explanation {
  readonly texts: readonly Written<"terminal">[];
  /** The explanation as JSON in the format `plateau.explanation/1`. */
  readonly json: unknown;
}

const SCHEMA = "plateau.explanation/1";

async function explanationOf(about: string): Promise<Explanation> {
  if (isFinding(about)) return ofCode("finding", about, `${MEANINGS[about]}.`);
  if (isAdvice(about)) return ofCode("advice", about, adviceSentence([about]));
  if (/^[a-z]+(?:-[a-z]+)*$/.test(about) && !await isThere(about)) throw unknownCode(about);
  return await ofMeasured(await readMeasured(about));
}

function isFinding(text: string): text is FindingCode {
  return FINDING_CODES.some((code) => code === text);
}

function isAdvice(text: string): text is Advice {
  return ADVICE.some((code) => code === text);
}

function isThere(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

function unknownCode(text: string): UserError {
  const near = closest(text, CODES);
  const fix = near === null
    ? "name results, or the code of a finding or an advice in them"
    : `did you mean ${near}?`;
  const message = `Cannot explain ${quotedOpenly(text)}: it is neither a code nor a file`;
  return new UserError([{ place: "ABOUT", message, fix }]);
}

function ofCode(kind: "finding" | "advice", code: string, meaning: string): Explanation {
  return {
    texts: [textLines([`${code}  ${meaning}`], terminalOptions())],
    json: { schema: SCHEMA, kind, code, meaning },
  };
}

async function ofMeasured(measured: Results | Measurement): Promise<Explanation> {
  const { runs, texts, conclusion, trust } = "runs" in measured
    ? ofResults(measured)
    : await ofMeasurement(measured);
  const findings = findingsOf(runs);
  const lines = findings.flatMap(({ code, meaning, count, sentences: [sentence] }) => [
    `${code} (${counted(count, "run")})  ${meaning}.`,
    `  ${sentence}`,
  ]);
  return {
    texts: lines.length === 0
      ? texts
      : [...texts, textLines(["", "What the findings mean", ...lines], terminalOptions())],
    json: {
      schema: SCHEMA,
      kind: "results",
      conclusion,
      trust,
      findings: findings.map(({ count, ...finding }) => ({ ...finding, runs: count })),
    },
  };
}

interface Shown {
  readonly runs: readonly Measurement[];
  readonly texts: readonly Written<"terminal">[];
  readonly conclusion: unknown;
  readonly trust: TrustModel | null;
}

function ofResults(results: Results): Shown {
  const { models: [{ card }], summary } = resultForms([results]);
  const { runs } = results;
  return {
    runs,
    texts: summary(false),
    conclusion: conclusionJson(card),
    trust: trustOfRuns(runs),
  };
}

async function ofMeasurement(measurement: Measurement): Promise<Shown> {
  const { renderBlocks } = await import("../../report/render/terminal/blocks.ts");
  return {
    runs: [measurement],
    texts: [renderBlocks(measurementBlocks(measurement, []), terminalOptions())],
    conclusion: null,
    trust: trustOf(measurement),
  };
}

interface ExplainedFinding {
  readonly code: FindingCode;
  readonly meaning: string;
  /** Number of runs with this finding. */
  readonly count: number;
  /** The distinct sentences that describe these findings. */
  readonly sentences: readonly string[];
  readonly advice: readonly { readonly code: Advice; readonly text: string }[];
}

function findingsOf(runs: readonly Measurement[]): ExplainedFinding[] {
  const all = runs.flatMap(({ generator }) => generator.findings);
  const byCode = Map.groupBy(all, ({ code }) => code);
  return [...byCode].map(([code, alike]: [FindingCode, TrustFinding[]]) => ({
    code,
    meaning: MEANINGS[code],
    count:
      runs.filter(({ generator }) => generator.findings.some((own) => own.code === code)).length,
    sentences: [...new Set(alike.map(findingSentence))],
    advice: [...new Set(alike.flatMap(({ advice }) => advice))]
      .map((each) => ({ code: each, text: adviceSentence([each]) })),
  }));
}
