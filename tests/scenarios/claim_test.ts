import assert from "node:assert/strict";
import {
  type Claim,
  claimInResults,
  type ClaimSide,
  type Ratios,
  type Says,
} from "../../scenarios/claims/claim.ts";
import { parseClaim } from "../../scenarios/claims/claim_text.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { wrongLines } from "./right_experiment.ts";

function said(text: string): Claim {
  const parsed = parseClaim(text);
  assert.ok("claim" in parsed, JSON.stringify(parsed));
  assert.deepEqual(claimInResults.parse(parsed.claim), parsed.claim);
  return parsed.claim;
}

/** What was understood, written out in one way. */
function inWords(says: Says): string {
  switch (says.kind) {
    case "compare":
      return `${sideText(says.left)} ${says.relation} ${sideText(says.right)}`;
    case "within":
      return `${sideText(says.left)} within ${says.toleranceRatio} of ${sideText(says.right)}`;
    case "ratios":
      return `${ratioText(says.left)} ${says.relation} ${ratioText(says.right)}`;
    case "warmup":
      return `warmup(${says.selector.text}) is ${says.label}`;
    case "correlation":
      return `correlation(${says.figures}; ${says.selector.text}) ${says.relation} ${says.limit}`;
  }
}

function ratioText({ of, to }: Ratios["left"]): string {
  return `${sideText(of)} / ${sideText(to)}`;
}

function sideText(side: ClaimSide): string {
  if (side.kind === "quantity") return String(side.value);
  const of = side.kind === "ceiling"
    ? `ceiling(${side.of})`
    : `${side.figure}(${side.selector.parts.map(({ key, value }) => `${key ?? "·"}=${value}`)})`;
  return `${side.factor} ${of}`;
}

const rows: Readonly<Record<string, [text: string, said: string]>> = {
  "two figures with a factor": [
    "rate(fastify, static) > 2 × rate(express, static)",
    "1 rate(·=fastify,·=static) > 2 rate(·=express,·=static)",
  ],
  "a star for the times sign": ["rate(a) > 2*rate(b)", "1 rate(·=a) > 2 rate(·=b)"],
  "an x for the times sign": ["rate(a) > 1.5 x rate(b)", "1 rate(·=a) > 1.5 rate(·=b)"],
  "a factor on the left": ["0.5 × p99(a) <= p99(b)", "0.5 p99(·=a) <= 1 p99(·=b)"],
  "two different figures of one unit": ["p99(a) < 3 × p50(a)", "1 p99(·=a) < 3 p50(·=a)"],
  "no cells named: all": ["success() >= 99.9%", "1 success() >= 0.999"],
  "a time": ["p99(cached, high) < 120ms", "1 p99(·=cached,·=high) < 120"],
  "a time on the left": ["1s >= latency.p99(a)", "1000 >= 1 p99(·=a)"],
  "a rate": ["rate(a) ≥ 60000/m", "1 rate(·=a) >= 1000"],
  "cores": ["cpu(a) < 0.8", "1 cpu(·=a) < 0.8"],
  "bytes": ["memory(a)<200 MB", "1 memory(·=a) < 200000000"],
  "time to stable latency": ["stable(a) < 2s", "1 stable(·=a) < 2000"],
  "a share of answers": ["4xx(limited, high) > 50%", "1 4xx(·=limited,·=high) > 0.5"],
  "a status class twice": ["5xx(a) <= 2xx(a)", "1 5xx(·=a) <= 1 2xx(·=a)"],
  "factors, and signs inside of brackets": [
    "p50(a, connections=50) < p50(a, connections=200)",
    "1 p50(·=a,connections=50) < 1 p50(·=a,connections=200)",
  ],
  "brackets and signs within quotes": ['rate(path="/a(b)<c") > 1/s', "1 rate(path=/a(b)<c) > 1"],
  "a ceiling": ["rate(a) < 0.9 × ceiling(redis)", "1 rate(·=a) < 0.9 ceiling(redis)"],
  "the other ceiling": ["ceiling( generator ) > 5000/s", "1 ceiling(generator) > 5000"],
  "two ratios": [
    'p50(a)/p50(b, path="/c") < mean(a) / 2 × mean(b)',
    "1 p50(·=a) / 1 p50(·=b,path=/c) < 1 mean(·=a) / 2 mean(·=b)",
  ],
  "several targets": ["rate(a, b, static) > 1/s", "1 rate(·=a,·=b,·=static) > 1"],
  "how another percentile ends": [
    "stable.p90(a) < final.p90(a)",
    "1 stable.p90(·=a) < 1 final.p90(·=a)",
  ],
  "a tolerance": ["rate(a) within 5% of rate(b)", "1 rate(·=a) within 0.05 of 1 rate(·=b)"],
  "a tolerance around a factor": [
    "p50(a) within 10 % of 2 × p50(b)",
    "1 p50(·=a) within 0.1 of 2 p50(·=b)",
  ],
  "a tolerance around a quantity": ["p50(a) within 10% of 100ms", "1 p50(·=a) within 0.1 of 100"],
  "a label": ["warmup(bun, static) is warm-up", "warmup(bun, static) is warm-up"],
  "a label in other words": ["warm-up(bun) is no steady state", "warmup(bun) is no-steady-state"],
  "a correlation": [
    "correlation(stable, p50; static) > 0.5",
    "correlation(stable,p50; static) > 0.5",
  ],
  "a correlation of all cells": [
    "correlation(cpu, rate) < -.25",
    "correlation(cpu,rate; ) < -0.25",
  ],
  "spaces and lines": ["  rate(a)\n >   rate( b ) ", "1 rate(·=a) > 1 rate(·=b)"],
};

for (const [sentence, [text, words]] of Object.entries(rows)) {
  Deno.test(`claim: ${sentence}`, () => {
    const claim = said(text);
    assert.equal(inWords(claim.says), words);
    assert.equal(claim.text, text.trim().replaceAll(/\s+/g, " "));
  });
}

const wrong: [text: string, ...problems: RegExp[]][] = [
  ["", /^Cannot read "" as a claim: write two figures with/],
  ["fastify is faster", /^Cannot read "fastify is faster" as a claim/],
  ["rate(a)", /^Cannot read "rate\(a\)" as a claim/],
  ["rate(a) == rate(b)", /^Cannot use == in a claim: write <, <=, > or >=, or within 5% of$/],
  ["rate(a) > two × rate(b)", /^Cannot read "two" as a factor: write a number/],
  ["rate(a) > 0 × rate(b)", /^Cannot read "0" as a factor/],
  ["rat(a) > rate(b)", /^Cannot find the figure "rat": did you mean "rate"\?$/],
  ["p98(a) > pp99(b)", /^Cannot find the figure "p98"/, /^Cannot find the figure "pp99"/],
  ["rate(a) > 1000", /^Cannot read "1000" as a rate: write 1000\/s$/],
  ["p99(a) < 120", /^Cannot read "120" as a duration: write 120ms$/],
  ["p99(a) < rate(b)", /^Cannot compare p99\(a\) with rate\(b\): their units differ$/],
  ["ceiling(redis) > p99(a)", /units differ$/],
  ["p99 < 120ms", /^Cannot use p99 without its cells: write p99\(fastify, static\), or p99\(\)/],
  ["p99(a) < p50", /^Cannot use p50 without its cells/],
  ["100ms < 120ms", /^Cannot compare two numbers: at least one side must be a figure/],
  ["rate(a) + rate(b) > 5/s", /^Cannot read/],
  [
    "2 rate(a) > 5/s",
    /^Cannot read "2 rate\(a\)" as a side of a claim: write a figure and its cells/,
  ],
  ["rate(a,) > 5/s", /^Cannot read "a," as a selector/],
  ["ceiling(redi) > 5/s", /^Cannot find the ceiling "redi": did you mean "redis"\?$/],
  ["rate(a) / p50(b) < rate(c) / p50(d)", /rate\(a\) with p50\(b\)/, /rate\(c\) with p50\(d\)/],
  ["rate(a) / ceiling(redis) < rate(b) / rate(c)", /^Cannot divide rate\(a\) by ceiling\(redis\)/],
  ["rate(a) / rate(b) > 2", /^Cannot read "rate\(a\) \/ rate\(b\) > 2" as a claim/],
  ["rate(a) within 5 of rate(b)", /^Cannot read "5" as a tolerance: write 5%$/],
  ["rate(a) within 150 of rate(b)", /^Cannot read "150" as a tolerance: write a percentage/],
  ["rate(a) within 0% of rate(b)", /^Cannot read "0%" as a tolerance: write a percentage above 0%/],
  ["warmup(a) is warmup", /^Cannot use "warmup" as a label of a run: did you mean "warm-up"\?$/],
  ["warmup(a) is fast", /: write one of flat, warm-up, slowdown, no-steady-state$/],
  ["correlation(stable) > 0.5", /^Cannot correlate "stable": write two figures/],
  ["correlation(stable, p5; a) > 2", /^Cannot find the figure "p5"/, /a number from -1 to 1$/],
];

for (const [text, ...problems] of wrong) {
  Deno.test(`no claim: ${text || "nothing"}`, () => {
    const parsed = parseClaim(text);
    assert.ok("problems" in parsed, JSON.stringify(parsed));
    assert.equal(parsed.problems.length, problems.length, parsed.problems.join("\n"));
    problems.forEach((problem, i) => assert.match(parsed.problems[i], problem));
  });
}

const EXPERIMENT = `name: right
targets: { fastify: { app: api }, express: { app: api } }
scenarios: { static: { get: /static }, fib: { get: /fib } }
`;

Deno.test("an experiment holds claims as texts, or with where they stand", () => {
  const { claims } = parseExperiment(
    `${EXPERIMENT}claims:
  - rate(fastify, static) > 2 × rate(express, static)
  - { claim: "p99(fastify) < 120ms", source: "p. 6, table III", note: "on their machine" }
`,
    "x.yaml",
  );
  assert.deepEqual(claims.map(({ text, source, note }) => [text, source, note]), [
    ["rate(fastify, static) > 2 × rate(express, static)", undefined, undefined],
    ["p99(fastify) < 120ms", "p. 6, table III", "on their machine"],
  ]);
});

const misplaced: Readonly<Record<string, [...lines: RegExp[]]>> = {
  "[rate(fastfy) > 1/s]": [
    /^x\.yaml:4:\d+: .*Cannot find the target or scenario "fastfy": did you mean "fastify"\?$/,
  ],
  '[{ claim: "rate(hapi, fib) > rate(koa, fib)" }]': [
    /Cannot find the target or scenario "hapi": the targets are fastify, express/,
    /Cannot find the target or scenario "koa"/,
  ],
  "[rate(fastify, static) > 1/s]": [
    /Cannot read "rate\(fastify" as a claim: a parenthesis is not closed; put the claim into quotes$/,
  ],
  "[rate(conections=50) > 1/s]": [
    /Cannot find the factor "conections": did you mean "connections"\?$/,
  ],
  "[rate(set.zebra=50) > 1/s]": [
    /Cannot find the factor "set.zebra": name a key of load, or of a target's set/,
  ],
  "[warmup(fast) is flat]": [/Cannot find the target or scenario "fast"/],
  '["correlation(stable, p50; scenario=fastify) > 0"]': [/Cannot find the scenario "fastify"/],
  "[rate(fastify) < ceiling(redis)]": [/it is not measured; add ceilings: \[redis\]$/],
  '[{ claim: "p99(fastify) < 5" }]': [
    /^x\.yaml:4:\d+: .*Cannot read "5" as a duration: write 5ms$/,
  ],
  '[{ text: "rate(fastify) > 1/s" }]': [/claim/],
};

for (const [claims, [...lines]] of Object.entries(misplaced)) {
  Deno.test(`an experiment with wrong claims: ${claims}`, () => {
    const found = wrongLines(`${EXPERIMENT}claims: ${claims}\n`);
    lines.forEach((line, i) => assert.match(found[i] ?? "nothing", line));
  });
}

Deno.test("a claim may name several targets, and those in ratios must be there", () => {
  assert.deepEqual(wrongLines(`${EXPERIMENT}claims: ["rate(fastify, express, fib) > 1/s"]\n`), []);
  const [line] = wrongLines(
    `${EXPERIMENT}claims: ["p50(fastify) / p50(express) < mean(fastify) / mean(koa)"]\n`,
  );
  assert.match(line, /Cannot find the target or scenario "koa"/);
});

Deno.test("a ceiling that is measured can be claimed something of", () => {
  const text = `${EXPERIMENT}ceilings: [redis]\nclaims: [rate(fastify) < ceiling(redis)]\n`;
  assert.deepEqual(wrongLines(text), []);
});

Deno.test("a factor may be any key of the loads and the targets, varied or not", () => {
  const text = `name: right
targets: { work: { app: work, set: { cpuTime: 10ms } }, two: { cluster: { of: work, instances: 2 } } }
scenarios: { static: { get: /, load: { rate: 100/s, duration: 1s } } }
claims: ["rate(cpuTime=10ms, instances=2) > 1/s", "rate(connections=5, rate=100/s) > 1/s"]
`;
  assert.deepEqual(wrongLines(text), []);
});
