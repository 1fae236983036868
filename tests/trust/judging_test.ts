import assert from "node:assert/strict";
import { join } from "node:path";
import type { Case } from "../../runner/trust/evidence.ts";
import { judge } from "../../runner/trust/judging.ts";
import { measurementFixture } from "../report/fixture.ts";
import { caseWith, OPEN, type Spoiled, worded } from "./case.ts";

const requests = { due: 1_000, completed: 1_000, failed: 0, unfinished: 0, dropped: 0 };
const sent = (due: number, dropped: number) => ({ ...requests, due, dropped });
const LONG = measurementFixture({ target: "api", scenario: "static", medianMs: 40 });
const MESSAGES = measurementFixture({ target: "api", scenario: "static", medianMs: 1 });
/** Streams that are held for long, with a message each 40 ms. */
const STREAMED: Partial<Case["run"]> = {
  elapsedS: 30,
  service: { ...LONG.service, percentiles: { ...LONG.service.percentiles, "50": 5_000 } },
  streams: { ttfe: LONG.service, gap: LONG.service },
};
/** As most messages of gRPC and of model servers come: all behind the first, in the same read. */
const AT_ONCE: Partial<Case["run"]> = {
  ...STREAMED,
  streams: {
    ttfe: { ...LONG.service, percentiles: { ...LONG.service.percentiles, "50": 800 } },
    gap: { ...LONG.service, percentiles: { ...LONG.service.percentiles, "50": 0 } },
  },
};
/** Sockets that are held for long, with many messages on each. */
const HELD: Partial<Case["run"]> = {
  elapsedS: 30,
  service: { ...LONG.service, percentiles: { ...LONG.service.percentiles, "50": 5_000 } },
  sockets: { opened: 3, sent: 3_000, message: MESSAGES.service },
};
const lag = (p99: number) => ({ p50: 0, p99, max: p99 });

const spoiled: [sentence: string, spoiled: Spoiled, trust: string, reason: RegExp][] = [
  [
    "a worker that is nearly never idle",
    { worker: { cpu: 0.93 } },
    "suspect",
    /^The generator may have been the limit, not the target: its busiest worker used 93 % of a core and waited for a core 2\.5 % of the time\. Use fewer connections \(.*\), or run the generator on its own machine \(.*\)\.$/,
  ],
  ["a worker that is never idle", { worker: { cpu: 0.96 } }, "invalid", /was the limit/],
  [
    "a worker that works or stands in line all the time",
    { worker: { cpu: 0.5, waiting: 0.48 } },
    "invalid",
    /used 50 % of a core and waited for a core 48 %/,
  ],
  [
    "a busy worker with cores to spare",
    { worker: { cpu: 0.98 }, surroundings: { cores: 8 } },
    "invalid",
    /\. Give the generator more workers \(-w of plateau bench, or `workers` of an experiment's load\), or use another machine\.$/,
  ],
  [
    "the busier of two workers",
    {
      evidence: {
        workers: 2,
        each: [
          { cpu: 0.1, waiting: 0, spinning: 0, lag: 0, delay: 0 },
          { cpu: 0.95, waiting: 0, spinning: 0, lag: 0, delay: 0 },
        ],
      },
    },
    "suspect",
    /used 95 %/,
  ],
  [
    "requests that were dropped by a busy worker",
    { worker: { cpu: 0.93 }, run: { ...OPEN, requests: sent(1_000_000, 12_000) } },
    "invalid",
    /^12,000 scheduled requests were never sent: the busiest worker was saturated\. Lower the rate, or run/,
  ],
  [
    "a few requests that were dropped by a busy worker",
    { worker: { cpu: 0.93 }, run: { ...OPEN, requests: sent(1_000_000, 2_000) } },
    "suspect",
    /^2,000 scheduled requests were never sent/,
  ],
  [
    "a rate near the peak throughput, by a worker as busy as there",
    { worker: { cpu: 0.8 }, run: { rate: 230_000 } },
    "suspect",
    /^The generator ran at 92 % of its own peak \(230,000 of 250,000 requests\/s\), so the target may be faster than measured\./,
  ],
  [
    "an open loop whose worker comes late",
    { run: OPEN, evidence: { delay: { p50: 0, p99: 1.5, max: 9 } } },
    "suspect",
    /^The system paused a worker that was not busy: it was up to 1\.5 ms late \(p99\)/,
  ],
  [
    "an open loop whose worker comes very late",
    { run: OPEN, evidence: { delay: { p50: 0, p99: 21, max: 40 } } },
    "invalid",
    /up to 21 ms late/,
  ],
  [
    "messages that are due by a clock in a closed loop, and come late",
    { run: HELD, evidence: { delay: { p50: 0, p99: 1.5, max: 9 } } },
    "suspect",
    /up to 1\.5 ms late/,
  ],
  [
    "messages that are due by a clock in a closed loop, and come very late",
    { run: HELD, evidence: { delay: { p50: 0, p99: 21, max: 40 } } },
    "invalid",
    /up to 21 ms late/,
  ],
  [
    "messages of streams that are held for long, noticed later than the time between two allows",
    { run: STREAMED, evidence: { delay: { p50: 0, p99: 12, max: 40 } } },
    "suspect",
    /up to 12 ms late/,
  ],
  [
    "one message for each WebSocket of a closed loop, which waits for its worker",
    {
      run: { ...HELD, sockets: { opened: 3, sent: 3, message: MESSAGES.service } },
      evidence: { delay: { p50: 0, p99: 6, max: 9 } },
    },
    "suspect",
    /up to 6(?:\.0)? ms late/,
  ],
  [
    "a closed loop whose worker was stopped 100 ms a second",
    { evidence: { delay: { p50: 0, p99: 86, max: 101 } } },
    "invalid",
    /^The system paused a worker that was not busy: it was up to 86 ms late \(p99\)/,
  ],
  [
    "requests that were sent late though connections were free",
    { run: OPEN, evidence: { lag: lag(30) } },
    "suspect",
    /^The generator did not keep up: requests were sent up to 30 ms late \(p99\) although connections were free/,
  ],
  [
    "cores that are full, for which the worker waits",
    { surroundings: { busy: 0.99, cores: 1 }, worker: { cpu: 0.35, waiting: 0.067 } },
    "suspect",
    /^The only core that Plateau may use was busy \(99 %\), and the busiest worker waited for a core 6\.7 %/,
  ],
  [
    "cores that are full, for which the worker waits long",
    { surroundings: { busy: 0.97 }, worker: { cpu: 0.45, waiting: 0.42 } },
    "invalid",
    /^All 2 cores .* were busy \(97 %\), and .* Stop other programs .*, or give target and generator separate cores \(`pin` of an experiment\)/,
  ],
  [
    "cores that are full with other things than a target elsewhere",
    { surroundings: { busy: 0.97 }, worker: { waiting: 0.1 }, sharesMachine: false },
    "suspect",
    /Stop other programs \(plateau doctor names them\) or measure when they are idle, or use fewer connections \(.*\), or use a larger machine\.$/,
  ],
  [
    "cores that are full where the system does not tell who waits",
    { surroundings: { busy: 0.99 }, worker: { waiting: null } },
    "suspect",
    /were busy \(99 %\)\. Stop/,
  ],
  [
    "a worker that is kept on a core with its target, while another is free",
    { surroundings: { busy: 0.8 }, worker: { cpu: 0.44, waiting: 0.42 } },
    "suspect",
    /^The system kept a worker on a busy core although others were free: it used 44 % of a core and waited for a core 42 % of the time/,
  ],
  ["stolen time", { surroundings: { steal: 0.03 } }, "suspect", /^The hypervisor gave 3 %/],
  ["much stolen time", { surroundings: { steal: 0.2 } }, "invalid", /^The hypervisor gave 20 %/],
  [
    "a CPU limit that was felt",
    { surroundings: { throttled: 3 } },
    "suspect",
    /^A CPU limit \(cgroup\) paused the generator for 3 ms of 3 s/,
  ],
  [
    "a CPU limit that was felt for long",
    { surroundings: { throttled: 600 } },
    "invalid",
    /paused the generator for 600 ms/,
  ],
  ["a coarse clock", { evidence: { timer: 15.6 } }, "suspect", /^The clock has steps of 16 ms/],
  [
    "a run of a moment",
    { run: { elapsedS: 0.012 }, worker: { cpu: 0.99 } },
    "suspect",
    /^The run took 12 ms, too short to judge the generator/,
  ],
  [
    "a few requests for which there was no port",
    { run: { requests, reasons: { "Cannot assign requested address": 1, "reset": 50 } } },
    "suspect",
    /^1 request failed because this machine ran out of ports/,
  ],
  [
    "many requests for which there was no port",
    { run: { requests, reasons: { "Cannot assign requested address (os error 99)": 400 } } },
    "invalid",
    /^400 requests failed because this machine ran out of ports/,
  ],
  [
    "requests for which there was no open file",
    { run: { requests, reasons: { "Too many open files (os error 24)": 4 } } },
    "suspect",
    /^4 requests failed because this machine ran out of open files \(.* ulimit -n/,
  ],
];

for (const [sentence, spoil, trust, reason] of spoiled) {
  Deno.test(`${sentence}: ${trust}`, () => {
    const judged = worded(caseWith(spoil));
    assert.equal(judged.trust, trust, judged.sentences.join());
    assert.match(judged.sentences[0], reason);
    for (const text of judged.sentences) assert.match(text, /^[A-Z0-9].*\.$/);
  });
}

const harmless: [sentence: string, spoiled: Spoiled][] = [
  ["a worker with time to spare", {}],
  ["the same in an open loop", { run: OPEN }],
  ["what the system does not tell", {
    evidence: { waiting: null, peakThroughput: null, baselineLatency: null },
    worker: { waiting: null },
    surroundings: { cores: null, busy: null, steal: null, throttled: null },
  }],
  ["waits for a core that sleeps", {
    surroundings: { busy: 0.05 },
    worker: { cpu: 0.2, waiting: 0.25 },
  }],
  ["a worker that wakes often, in a loop that keeps up", {
    run: OPEN,
    surroundings: { busy: 0.5 },
    worker: { cpu: 0.45, waiting: 0.3 },
  }],
  ["full cores for which nobody waits", {
    surroundings: { busy: 0.99 },
    worker: { waiting: 0.01 },
  }],
  ["a loop that spins until something is due", {
    run: OPEN,
    worker: { cpu: 1, spinning: 0.94, waiting: 0.004 },
  }],
  ["a rate near the peak throughput, by a worker with time", {
    run: { rate: 240_000 },
    worker: { cpu: 0.5 },
  }],
  ["more than the peak throughput, by requests in a row on each connection", {
    run: {
      rate: 900_000,
      load: { ...caseWith().run.load, kind: "closed", pipeline: 16, durationS: 3, requests: null },
    },
    worker: { cpu: 0.85 },
  }],
  ["one hiccup in a short run of an open loop", {
    run: { ...OPEN, elapsedS: 1 },
    evidence: { delay: { p50: 0, p99: 8, max: 18 } },
  }],
  ["short delays of a closed loop, which misses no moment", {
    evidence: { delay: { p50: 1, p99: 9, max: 20 } },
  }],
  ["small delays beside long answers", {
    run: { ...OPEN, service: LONG.service },
    evidence: { delay: { p50: 0, p99: 3, max: 9 } },
  }],
  ["messages of streams that come in one read after a long wait for the first", {
    run: AT_ONCE,
    evidence: { delay: { p50: 0, p99: 12, max: 40 } },
  }],
  ["requests that a worker with time could not send, as no connection was free", {
    run: { ...OPEN, requests: { ...requests, dropped: 500 } },
  }],
  ["steps of a coarse counter in a short run", {
    run: { elapsedS: 0.5 },
    surroundings: { steal: 0.05 },
  }],
  ["failures of other kinds", {
    run: { requests, reasons: { "Connection refused": 900, "no whole response in time": 100 } },
  }],
];

for (const [sentence, spoil] of harmless) {
  Deno.test(`${sentence}: valid`, () => {
    assert.deepEqual(judge(caseWith(spoil)), { trust: "valid", findings: [] });
  });
}

Deno.test("a request that fell due in the last moment is nothing against a worker", () => {
  const run = { ...OPEN, requests: sent(60_000, 1) };
  const { trust, codes } = worded(caseWith({ worker: { cpu: 0.93 }, run }));
  assert.deepEqual({ trust, codes }, { trust: "suspect", codes: ["generator-busy"] });
});

Deno.test("findings come with the worst first, and the worst decides", () => {
  const { trust, codes } = worded(caseWith({
    worker: { cpu: 0.93 },
    surroundings: { throttled: 600 },
  }));
  assert.equal(trust, "invalid");
  assert.deepEqual(codes, ["throttled", "generator-busy"]);
});

const PHASES = [{ durationS: 1, from: 10, to: 10 }];
const OPEN_LOAD = {
  connections: 50,
  keepAlive: true,
  timeout: 5_000,
  arrivals: "uniform",
  seed: 1,
} as const;
const LOADS: readonly [what: string, load: Case["run"]["load"], advised: RegExp][] = [
  ["a closed loop", LONG.load, /use fewer connections/i],
  [
    "a rate",
    { ...OPEN_LOAD, kind: "rate", rate: 100, durationS: 3 },
    /lower the rate/i,
  ],
  [
    "a replay",
    { ...OPEN_LOAD, kind: "rate", rate: 100, durationS: 3, arrivals: "recorded" },
    /replay more slowly/i,
  ],
  [
    "phases",
    { ...OPEN_LOAD, kind: "phases", phases: PHASES, pool: "own" },
    /let fewer virtual users arrive/i,
  ],
];
for (const [what, load, advised] of LOADS) {
  Deno.test(`advice fits the load: ${what}`, () => {
    const delay = { p50: 0, p99: 900, max: 900 };
    const late = caseWith({ evidence: { delay }, run: { load } });
    const sentences = worded(late).sentences.join("\n");
    assert.match(sentences, advised);
    for (const [, , other] of LOADS) if (other !== advised) assert.doesNotMatch(sentences, other);
  });
}

Deno.test("advice fits the machine: nobody gets more cores than it has, or workers without a core", () => {
  for (const [cores, sharesMachine] of [[1, true], [2, true], [1, false], [8, true]] as const) {
    const busy = { worker: { cpu: 0.98, waiting: 0.2 }, surroundings: { cores, busy: 0.99 } };
    const { findings } = judge(caseWith({ ...busy, sharesMachine }));
    const advice = findings.flatMap((finding) => finding.advice);
    assert.ok(advice.length > 0);
    assert.ok(!advice.includes("more-generator-cores"));
    assert.equal(advice.includes("more-workers"), cores === 8);
    assert.ok(cores > 1 || !advice.includes("separate-cores"));
  }
});

Deno.test("on two cores the first advice needs no other machine, and a larger one comes last", () => {
  const surroundings = { cores: 2, busy: 0.99, others: 0.05 };
  const spoiled: Spoiled[] = [
    { worker: { cpu: 0.98, waiting: 0.2 }, surroundings },
    { worker: { waiting: 0.1 }, surroundings: { ...surroundings, others: 1 } },
    { worker: { cpu: 0.98 }, surroundings, evidence: { workers: 2 } },
    { worker: { cpu: 0.8 }, run: { rate: 230_000 } },
    { worker: { cpu: 0.93 }, run: { ...OPEN, requests: sent(1_000_000, 12_000) } },
    { run: OPEN, evidence: { delay: { p50: 0, p99: 21, max: 40 } } },
  ];
  for (const sharesMachine of [true, false]) {
    for (const one of spoiled) {
      for (const { code, advice } of judge(caseWith({ ...one, sharesMachine })).findings) {
        assert.doesNotMatch(advice[0], /machine/, code);
        const larger = advice.indexOf("larger-machine");
        assert.ok(larger === -1 || (larger === advice.length - 1 && !sharesMachine), code);
      }
    }
  }
});

Deno.test("where generator and target fill the cores, nobody is told to stop other programs", () => {
  for (const [others, isTold] of [[0.05, false], [0.5, true], [undefined, true]] as const) {
    const surroundings = { cores: 2, busy: 0.99, ...others !== undefined && { others } };
    const { findings } = judge(caseWith({ worker: { waiting: 0.1 }, surroundings }));
    const advice = findings.flatMap((finding) => finding.advice);
    assert.equal(advice.includes("stop-other-programs"), isTold, `${others}`);
  }
});

Deno.test("what fits some loads or machines alone is advised in one place", () => {
  const folder = join(import.meta.dirname ?? "", "../../runner/trust");
  const named = [...Deno.readDirSync(folder)].filter(({ name }) => name !== "advice.ts")
    .filter(({ name }) =>
      /"(?:lower-\w+|fewer-\w+|more-workers|more-generator-cores|own-machine|larger-machine|separate-cores)"/
        .test(
          Deno.readTextFileSync(join(folder, name)),
        )
    );
  assert.deepEqual(named.map(({ name }) => name), []);
});
