/** What the target got of the machine and of the connections, and what is said of it. */
import assert from "node:assert/strict";
import type { FindingCode } from "../../runner/result/findings.ts";
import type { TargetUse } from "../../runner/result/generator.ts";
import { judge } from "../../runner/trust/judging.ts";
import { caseWith, OPEN, type Spoiled, worded } from "./case.ts";

/** At its limit, on a quiet machine. */
const target: TargetUse = {
  processes: 1,
  cores: 2,
  cpu: 0.98,
  waiting: 0.012,
  nice: 0,
  throttled: 0,
};
const lag = (p50: number, p99: number) => ({ p50, p99, max: p99 });
const service = (p50: number, mean = p50, p99 = p50): Spoiled["run"] => {
  const { service } = caseWith().run;
  return {
    service: { ...service, mean, percentiles: { ...service.percentiles, "50": p50, "99": p99 } },
  };
};
const STARVED = { ...target, cpu: 0.52, waiting: 0.42 };
const BUSIEST = [{ name: "stress", pid: 7, cores: 0.91 }];

const spoiled: [sentence: string, spoiled: Spoiled, codes: FindingCode[], reason: RegExp][] = [
  [
    "a neighbour on the target's core, while another core is free",
    { evidence: { target: STARVED }, surroundings: { others: 0.93, busiest: BUSIEST } },
    ["neighbour"],
    /^The target did not get the cores that it needed: it waited 45 % of the time that it had work, and other programs used 0\.93 cores \(stress, PID 7: 0\.91\)\./,
  ],
  [
    "one neighbour among many that are too small, or too soon gone, to be named",
    { evidence: { target: STARVED }, surroundings: { others: 1.6, busiest: BUSIEST } },
    ["neighbour"],
    /used 1\.6 cores \(stress, PID 7: 0\.91; smaller or short-lived programs: 0\.69\)\. .* Stop other programs \(plateau doctor names them\) or/,
  ],
  [
    "a neighbour on full cores, beside a target that waits little",
    {
      evidence: { target: { ...target, waiting: 0.066 } },
      surroundings: { others: 1, busy: 0.99 },
    },
    ["neighbour"],
    /, and other programs used 1 core\./,
  ],
  [
    "a target of low priority beside a neighbour",
    { evidence: { target: { ...STARVED, nice: 19 } }, surroundings: { others: 0.9 } },
    ["low-priority"],
    /: at nice 19 it waited 45 % of its runnable time, .* Give the target normal priority, or stop/,
  ],
  [
    "a neighbour that the worker waits for, and a target that can't be seen",
    { worker: { cpu: 0.4, waiting: 0.3 }, surroundings: { others: 0.9 }, sharesMachine: false },
    ["neighbour"],
    /^The generator did not get the cores that it needed: its busiest worker waited 30 % of the time/,
  ],
  [
    "a limit on the target's cgroup",
    { evidence: { target: { ...target, throttled: 900 } } },
    ["target-throttled"],
    /^A CPU limit \(cgroup\) paused the target for 900 ms of 3 s/,
  ],
  [
    "more arrivals than the connections can take",
    { run: { ...OPEN, ...service(526), rate: 95 }, evidence: { lag: lag(476, 900) } },
    ["connections"],
    /^All 50 connections were busy \(50\.0 on average\), so requests waited 480 ms \(p50\) for a free one\. The target never had more than 50 requests at once\. Add connections/,
  ],
  [
    "one connection to a server that does nothing",
    { run: { ...service(0.06), rate: 16_000 }, evidence: { baselineLatency: 0.054 } },
    ["near-baseline-latency"],
    /^Most of the latency comes from the generator and the kernel: p50 is 0\.06 ms, and a server that does nothing takes 0\.054 ms/,
  ],
];

for (const [sentence, spoil, codes, reason] of spoiled) {
  Deno.test(`${sentence}: ${codes.join()}`, () => {
    const judged = worded(caseWith(spoil));
    assert.deepEqual(judged.codes, codes, judged.sentences.join());
    assert.notEqual(judged.trust, "valid");
    assert.match(judged.sentences[0], reason);
  });
}

const harmless: [sentence: string, spoiled: Spoiled][] = [
  ["a target that uses all of its only core itself", {
    evidence: { target: { ...target, cores: 1 } },
    surroundings: { others: 0.02 },
  }],
  ["a target with more threads than cores, which waits for itself", {
    evidence: { target: { ...target, cpu: 1.2, waiting: 4 } },
    surroundings: { others: 0.03, busy: 0.9 },
  }],
  ["a neighbour on cores that nobody else wants", {
    evidence: { target },
    surroundings: { others: 3.5, busy: 0.5, cores: 8 },
  }],
  ["a target at low load, whose wake-ups are waits, beside a neighbour on another core", {
    run: OPEN,
    evidence: { target: { ...target, cpu: 0.06, waiting: 0.036 } },
    surroundings: { others: 0.9, busy: 0.6 },
  }],
  ["a target of low priority that nobody disturbs", {
    evidence: { target: { ...target, nice: 19 } },
    surroundings: { others: 0.01 },
  }],
  [
    "requests that waited in a moment in which the target hung, while connections were free on average",
    { run: { ...OPEN, ...service(1, 20, 200) }, evidence: { lag: lag(0, 40) } },
  ],
  ["latency beside the baseline where many requests are out at once", {
    run: { ...service(0.08), rate: 100_000 },
    evidence: { baselineLatency: 0.054 },
  }],
  ["a low rate that a fast server keeps, whatever its latency is made of", {
    run: { ...OPEN, ...service(0.06), rate: 1_000 },
    evidence: { baselineLatency: 0.054 },
  }],
  ["one connection to a server that takes ten times the baseline", {
    run: { ...service(0.5), rate: 2_000 },
    evidence: { baselineLatency: 0.054 },
  }],
];

for (const [sentence, spoil] of harmless) {
  Deno.test(`${sentence}: valid`, () => {
    assert.deepEqual(judge(caseWith(spoil)), { trust: "valid", findings: [] });
  });
}

Deno.test("waits that a neighbour explains are no finding of their own, but say how bad it is", () => {
  const { trust, codes } = worded(caseWith({
    surroundings: { others: 0.9, busy: 0.99 },
    worker: { cpu: 0.45, waiting: 0.42 },
    evidence: { target: STARVED },
  }));
  assert.deepEqual({ trust, codes }, { trust: "invalid", codes: ["neighbour"] });
});

Deno.test("a limit on the generator explains that it comes late, one that was hardly felt does not", () => {
  const codesAt = (throttled: number) =>
    worded(caseWith({
      run: OPEN,
      surroundings: { throttled },
      evidence: { delay: { p50: 0, p99: 45, max: 80 } },
    })).codes;
  assert.deepEqual(codesAt(15_000), ["throttled"]);
  assert.deepEqual(codesAt(3), ["worker-paused", "throttled"]);
});

Deno.test("a neighbour takes milliseconds at a time: a worker that was paused for long is another finding", () => {
  const codesAt = (ms: number) =>
    worded(caseWith({
      surroundings: { others: 0.9 },
      evidence: { target: STARVED, delay: { p50: 0, p99: ms, max: ms } },
    })).codes;
  assert.deepEqual(codesAt(11), ["neighbour"]);
  assert.deepEqual(codesAt(86), ["worker-paused", "neighbour"]);
});

Deno.test("a worker that has too much to do keeps requests waiting: connections are not the reason", () => {
  const { trust, codes } = worded(caseWith({
    run: { ...OPEN, ...service(50) },
    worker: { cpu: 0.93 },
    evidence: { lag: lag(900, 1_700), delay: { p50: 0.2, p99: 16, max: 36 } },
  }));
  assert.deepEqual({ trust, codes }, { trust: "suspect", codes: ["generator-busy"] });
});
