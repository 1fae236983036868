/** Every code of a finding has a sentence, made from its evidence, in the words of the field. */
import assert from "node:assert/strict";
import type { Finding } from "../../report/blocks.ts";
import { readFileSync } from "node:fs";
import { caveat } from "../../report/findings/caveats.ts";
import { adviceSentence, findingSentence, MEANINGS } from "../../report/findings/sentences.ts";
import {
  ADVICE,
  FINDING_CODES,
  type FindingCode,
  type FindingOf,
  trustFinding,
} from "../../runner/result/findings.ts";
import { assertReadable } from "./readable.ts";

type Samples = { readonly [Code in FindingCode]: FindingOf<Code>["evidence"] };

const CONTENTION = { others: 0.93, busiest: [{ name: "stress", cores: 0.91 }] };
const WORKER = { cpu: 0.93, waiting: 0.025 };

/** A code without a sample does not compile. */
const SAMPLES: Samples = {
  "no-response": { due: 50, errors: { timeout: 50 }, unfinished: 0, dropped: 0, timeout: 5_000 },
  "nothing-sent": { elapsedS: 1, delay: 1_300 },
  aborted: { rule: "errors > 5%", beyond: 812, ended: 9_120, afterS: 3.25 },
  "worker-ended": { ended: 1, workers: 2, knownUntil: 1_250 },
  throttled: { throttled: 600, elapsedS: 3 },
  "target-throttled": { throttled: 600, elapsedS: 3 },
  "low-priority": { ...CONTENTION, waiting: 0.45, nice: 19 },
  neighbour: { ...CONTENTION, waiting: 0.45, waiter: "target" },
  steal: { steal: 0.03 },
  ports: { failed: 400 },
  "open-files": { failed: 1 },
  "shared-cores": { cores: 2, busy: 0.97, waiting: 0.42 },
  "crowded-core": WORKER,
  "generator-starved": WORKER,
  "requests-dropped": { dropped: 12_000, due: 1_000_000 },
  "generator-busy": WORKER,
  "near-peak-throughput": { rate: 54_183, peakThroughput: 58_200 },
  "worker-paused": { delay: 86 },
  "worker-late": { delay: 1.5 },
  "sent-late": { lag: 30 },
  connections: { connections: 50, busy: 50, lag: 476 },
  "near-baseline-latency": { baselineLatency: 0.054, latency: 0.06 },
  "coarse-clock": { timer: 15.6 },
  "too-short": { elapsedS: 0.012 },
  unsteady: { unsettled: "drift", driftRatio: 0.12 },
  "agent-lost": { lastReportS: 3.01, reason: "killed, cut off or stalled", unsent: "unknown" },
  "agents-apart": { apart: 280, interval: 250, first: "a", last: "b" },
  "clock-uncertain": { agent: "b", uncertainty: 300, interval: 250 },
  "findings-omitted": { omitted: 4 },
  text: { text: "A sentence of an old file.", cause: null },
};

for (const [code, evidence] of Object.entries(SAMPLES)) {
  Deno.test(`a finding of code ${code} has a sentence`, () => {
    const advice = code === "text" ? [] : [ADVICE[0]];
    const finding = trustFinding.parse({ code, severity: "suspect", evidence, advice });
    const text = findingSentence(finding);
    assert.match(text, /^[A-Z0-9]/);
    assertReadable(text);
  });
}

Deno.test("other programs that make a run invalid are said to hold the generator back", () => {
  for (const code of ["neighbour", "low-priority"] as const) {
    const [suspect, invalid] = ["suspect", "invalid"].map((severity) =>
      findingSentence(trustFinding.parse({ code, severity, evidence: SAMPLES[code], advice: [] }))
    );
    const held = /; they held the generator back so much that the figures are not/;
    assert.match(invalid, held);
    assert.doesNotMatch(suspect, held);
  }
});

/** Each sentence of a caveat, from its evidence. */
const CAVEATS: readonly (readonly [Finding, sentence: string])[] = [
  [
    caveat("no-response", {
      ...SAMPLES["no-response"],
      silent: 2,
      runs: 6,
      cells: ["static, hono"],
    }),
    "No request got a response in 2 of 6 runs (static, hono): 50 timed out after 5 s.",
  ],
  [
    caveat("still-running", { runs: 2, planned: 6 }),
    "Still running: 2 of 6 planned runs are done.",
  ],
  [caveat("interrupted", { runs: 0, planned: 1 }), "Interrupted: 0 of 1 planned run is done."],
  [caveat("parts-missing", { parts: 1 }), "1 part of the plan was not measured."],
  [
    caveat("two-groups", {
      cells: [{
        cell: "static, hono",
        figure: "rate",
        groups: [{ count: 4, value: 15_000 }, { count: 1, value: 11_900 }],
      }],
    }),
    "Runs fall into two groups in static, hono (4 near 15,000 requests/s, 1 near 11,900 requests/s), " +
    "so the 95 % intervals there are too narrow.",
  ],
  [
    caveat("no-steady-state", { cells: 5, cell: "static, hono", count: 4, of: 5 }),
    "5 cells have no steady state in most of their runs, such as static, hono: " +
    "no steady state in 4 of 5 runs: run longer. Figures of such a cell have no intervals, but its ratios do.",
  ],
  [
    caveat("no-steady-part", { cells: 1, cell: "static, hono", count: 2, of: 5 }),
    "static, hono: 2 of 5 runs have no steady part and count as a whole.",
  ],
];

for (const [{ code, text }, sentence] of CAVEATS) {
  Deno.test(`a caveat of code ${code} has a sentence`, () => {
    assert.equal(text.replaceAll("\u00a0", " "), sentence);
    assertReadable(text);
  });
}

Deno.test("every advice has a text in the words of the field", () => {
  for (const advice of ADVICE) {
    const finding = {
      code: "steal",
      severity: "suspect",
      evidence: { steal: 0.1 },
      advice: [advice],
    };
    const [, text] = findingSentence(trustFinding.parse(finding)).split(" (steal). ");
    assert.match(text, /^[A-Z][^\n]*\.$/);
  }
});

Deno.test("a finding of several agents names them first, the ninth and later as a count", () => {
  const agents = Array.from({ length: 10 }, (_, i) => `n${i}`);
  const text = findingSentence({
    code: "too-short",
    severity: "suspect",
    evidence: { elapsedS: 0.012 },
    advice: ["longer-run"],
    agents,
  });
  assert.equal(
    text,
    "agents n0, n1, n2, n3, n4, n5, n6, n7 and 2 more: The run took 12 ms, too short to judge the " +
      "generator. Make the run longer.",
  );
});

Deno.test("docs/findings.md lists every code of a finding and of an advice, and no other", () => {
  const page = readFileSync(new URL("../../docs/findings.md", import.meta.url), "utf8");
  const listed = (heading: string): string[] => {
    const [, section = ""] = page.split(`## ${heading}\n`);
    return [...section.split("\n## ")[0].matchAll(/^\| `([a-z-]+)`/gm)].map(([, code]) => code);
  };
  assert.deepEqual(listed("Codes"), [...FINDING_CODES]);
  assert.deepEqual(listed("Advice"), [...ADVICE]);
  const meanings = FINDING_CODES.map((code) => [code, MEANINGS[code]]);
  const advice = ADVICE.map((code) => [code, adviceSentence([code])]);
  assert.deepEqual(
    [...meanings, ...advice].filter(([code, text]) =>
      !new RegExp(`^\\| \`${code}\` +\\| ${RegExp.escape(text)} +\\|`, "m").test(page)
    ),
    [],
  );
});

Deno.test("times are in the unit that a reader expects, and counts are counts", () => {
  const said = <Code extends FindingCode>(
    code: Code,
    evidence: FindingOf<Code>["evidence"],
  ): string =>
    findingSentence(trustFinding.parse({ code, severity: "suspect", evidence, advice: [] }));
  assert.match(
    said("throttled", { throttled: 12_300, elapsedS: 30 }),
    /paused the generator for 12\.3 of 30 s\./,
  );
  assert.match(said("target-throttled", { throttled: 600, elapsedS: 3 }), /for 600 ms of 3 s: /);
  assert.match(
    said("connections", { connections: 2_000, busy: 1_998, lag: 12_300 }),
    /^All 2,000 connections were busy \(1,998 on average\), so requests waited 12\.3 s /,
  );
});
