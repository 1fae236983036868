/** Every code of a finding has a sentence, made from its evidence, in the words of the field. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { findingSentence } from "../../report/model/findings/sentences.ts";
import {
  ADVICE,
  FINDING_CODES,
  type FindingCode,
  type FindingOf,
  trustFinding,
} from "../../runner/result/findings.ts";
import { offencesIn } from "../architecture/glossary.ts";

type Samples = { readonly [Code in FindingCode]: FindingOf<Code>["evidence"] };

const CONTENTION = { others: 0.93, busiest: [{ name: "stress", cores: 0.91 }] };
const WORKER = { cpu: 0.93, waiting: 0.025 };

/** A code without a sample does not compile. */
const SAMPLES: Samples = {
  "no-response": { due: 50, errors: { timeout: 50 }, unfinished: 0, dropped: 0, timeout: 5_000 },
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

/** The longest that a reader takes in at once, without numbers in brackets. */
const MOST_WORDS = 25;

function sentencesOf(text: string): string[] {
  return text.replaceAll(/\s*\([^)]*\)/g, "").split(/(?<=[.;:])\s+/).filter((part) => part !== "");
}

for (const [code, evidence] of Object.entries(SAMPLES)) {
  Deno.test(`a finding of code ${code} has a sentence`, () => {
    const advice = code === "text" ? [] : [ADVICE[0]];
    const finding = trustFinding.parse({ code, severity: "suspect", evidence, advice });
    const text = findingSentence(finding);
    assert.match(text, /^[A-Z0-9][^\n]*\.$/);
    assert.doesNotMatch(text, /undefined|null|NaN|\.\.|\{|\}/);
    assert.deepEqual(offencesIn(text, "texts"), []);
    for (const sentence of sentencesOf(text)) {
      assert.ok(sentence.split(/\s+/).length <= MOST_WORDS, sentence);
    }
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
    assert.deepEqual(offencesIn(text, "texts"), []);
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
});
