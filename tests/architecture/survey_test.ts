import assert from "node:assert/strict";
import { type Survey, surveyFile } from "./survey.ts";

const LATER = "TO" + "DO";
const cases: [sentence: string, list: "impurities" | "evasions", code: string, found: string[]][] =
  [
    ["a clock", "impurities", "const now = performance.now();", ["performance"]],
    ["the date", "impurities", "const now = new Date();", ["Date"]],
    ["the time of day", "impurities", "const now = Date.now();", ["Date"]],
    ["nothing in a given date", "impurities", "f(Date.parse(text), new Date(text));", []],
    ["a timer", "impurities", "setTimeout(() => {}, 1);", ["setTimeout"]],
    ["randomness", "impurities", "const x = Math.random();", ["Math.random"]],
    ["the Deno namespace", "impurities", "Deno.exit(1);", ["Deno"]],
    ["await", "impurities", "await x;", ["await"]],
    ["for await", "impurities", "for await (const x of y) f(x);", ["for await"]],
    ["nothing in a property's name", "impurities", "f(row.Date, { fetch: 1 });", []],
    ["nothing in text and comments", "impurities", "f('Deno'); // Date", []],
    ["any", "evasions", "let x: any;", ["any"]],
    ["a double assertion", "evasions", "f(x as unknown as string);", ["x as unknown"]],
    ["a non-null assertion", "evasions", "f(x!);", ["x!"]],
    ["a note for later", "evasions", `// ${LATER}: mend`, ["a note for later"]],
    ["nothing in one assertion", "evasions", "f(x as string);", []],
  ];

for (const [sentence, list, code, found] of cases) {
  Deno.test(`survey finds ${sentence} in ${code}`, () => {
    const survey: Survey = surveyFile("case.ts", code);
    assert.deepEqual(survey[list].map(({ what }) => what), found);
  });
}
