/** Text from outside that a careless reader would read for minutes. */
import assert from "node:assert/strict";
import { parseClaim } from "../../scenarios/claims/claim_text.ts";
import { UserError } from "../../base/errors.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { LIMITS } from "../../base/limits.ts";
import { readPercentage } from "../../base/figures/figure.ts";
import { repeat } from "../../scenarios/plan/repetition.ts";
import { parseSelector } from "../../base/figures/selector.ts";
import { parseThreshold } from "../../scenarios/claims/threshold.ts";
import { moduleOf } from "../../targets/profile/profiler.ts";
import { becomes, script } from "./foreign.ts";
import { walked } from "./k6_script.ts";

const LENGTH = 300_000;

/** Runs `read`, and asserts that it takes no longer than what is linear in `LENGTH` may, on any machine. */
async function inTime(read: () => unknown): Promise<void> {
  const beginMs = performance.now();
  try {
    await read();
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
  }
  const tookMs = performance.now() - beginMs;
  assert.ok(tookMs < 8_000, `${tookMs} ms`);
}

function repeated(part: string): string {
  return part.repeat(LENGTH / part.length);
}

const READERS: Readonly<Record<string, () => unknown>> = {
  "a claim with brackets": () => parseClaim(`(${repeated("(")})(`),
  "a threshold of spaces": () => parseThreshold(`p99 ${repeated("< ")}`),
  "a selector of quotation marks": () => parseSelector(`,${repeated(',""')}"`),
  "a percentage of tabs": () =>
    readPercentage(`1${repeated("\t")}1`, { what: "a", example: "5%", aboveZero: true }),
  "repetitions until tabs": () => repeat.safeParse(`until\n${repeated("\t")}\n.`),
  "braces in an Artillery script": () =>
    becomes(script(`[{ get: { url: "/${repeated("{{")}" } }]`), "a.yml"),
  "a template of tabs in an Artillery script": () =>
    becomes(script(`[{ get: { url: "/{{${repeated("\\t")}" } }]`), "a.yml"),
  "a long regexp in an Artillery script": () =>
    becomes(
      script(`[{ get: { url: /, capture: { as: a, regexp: "${repeated("[")}" } } }]`),
      "a.yml",
    ),
  "a variable of an Artillery script that one text names many times": () =>
    becomes(
      script(
        `[{ get: { url: "/${"{{ v }}".repeat(10_000)}" } }]`,
        `variables: { v: "${repeated("a")}" }`,
      ),
      "a.yml",
    ),
  "environments of an Artillery script": () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `e${at}: {}`);
    return becomes(
      script("[{ get: { url: / } }]", `environments: { ${names.join(", ")} }`),
      "a.yml",
    );
  },
  "a long list in a k6 script": () => becomes(walked(`const list = [${repeated("1,")}];`), "a.js"),
  "a condition in a loop of a k6 script": () => {
    const branch = Array.from({ length: LENGTH / 8 }, (_, at) => `v${at};`).join("");
    return becomes(walked(`for (let i = 0; i < 9000; i++) if (v) { ${branch} }`), "a.js");
  },
  "functions of a k6 script that call each other twice": () => {
    const call = (at: number): string => `function f${at}() { f${at + 1}(); f${at + 1}(); }`;
    return becomes(
      walked(`${Array.from({ length: 60 }, (_, at) => call(at)).join("")} f0();`),
      "a.js",
    );
  },
  "a path in a profile": () => moduleOf(repeated("a")),
  "thousands of parameters that there are not": () => {
    const texts = (write: (at: number) => string): string =>
      Array.from({ length: 3_000 }, (_, at) => write(at)).join(", ");
    const form = texts((at) => `f${at}: "\${other_${at}}"`);
    parseExperiment(
      `parameters: { ${texts((at) => `name${at}: 1`)} }\nscenarios: { a: { form: { ${form} } } }`,
      "a.yaml",
    );
  },
};

for (const [what, read] of Object.entries(READERS)) {
  Deno.test(`${what} is read in time`, async () => await inTime(read));
}

Deno.test("a file of blanks is found to be of no other tool in time", async () => {
  const path = Deno.makeTempFileSync({ suffix: ".yaml" });
  Deno.writeTextFileSync(path, `a: |\n  "${"\n\t".repeat(5_000)}${"\t".repeat(LENGTH)}`);
  await inTime(() => loadExperiment(path));
  Deno.removeSync(path);
});

Deno.test("claims, thresholds and selectors say that they are too long", () => {
  const text = "x".repeat(LIMITS.sentence.most + 2);
  const why = "the text of a claim, threshold or selector has 2,002 characters; the limit is 2,000";
  assert.deepEqual(parseClaim(text), { problems: [`Cannot read a claim: ${why}`] });
  assert.deepEqual(parseThreshold(text), { problems: [`Cannot read a threshold: ${why}`] });
  assert.deepEqual(parseSelector(text), { problem: `Cannot read a selector: ${why}` });
});
