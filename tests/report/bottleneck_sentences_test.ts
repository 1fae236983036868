import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { bottleneckFindings, bottleneckSentence } from "../../report/findings/bottleneck.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { resultsFixture } from "./fixture.ts";
import { saidAs } from "./said.ts";

/** What the experiment file asks for. */
interface Looks {
  readonly profile?: { readonly runs: number };
  readonly observe?: readonly string[];
}

type Seen = Readonly<Record<string, Bottleneck | readonly Bottleneck[]>>;

/** Each target with what kept it from serving more, in all of three runs or run by run. */
function modelOf(seen: Seen, looks: Looks = {}): ReturnType<typeof reportModel> {
  const cells = Object.keys(seen).map((target, i) => ({
    target,
    scenario: "one",
    medianMs: 2 + i,
    runs: 3,
    duration: 1,
  }));
  const drawn = resultsFixture({ cells });
  return reportModel({
    ...drawn,
    experiment: { ...drawn.experiment, ...looks },
    runs: drawn.runs.map((run) => ({
      ...run,
      bottleneck: [seen[run.target]].flat()[run.repetition - 1] ?? [seen[run.target]].flat()[0],
    })),
  });
}

function sentencesOf(seen: Seen, looks: Looks = {}): string[] {
  return saidAs(modelOf(seen, looks), "verdict/1", "bottleneck").map((text) =>
    text.replace("Bottleneck of ", "").replaceAll(/\s/g, " ")
  );
}

const core = (name: string, cpu: number): Bottleneck => ({ kind: "core", thread: { name, cpu } });

Deno.test("a sentence about one cell has the evidence of that cell, shares with their sign", () => {
  assert.deepEqual(
    sentencesOf({
      api: core("deno", 0.949),
      cached: { kind: "redis", redisBusy: 0.931 },
      slow: { kind: "waiting", service: 20.4, cpuPerRequest: 0.1 },
    }),
    [
      "api: one core is full (a thread of deno uses 94.9 % of it); more connections will not help, but more processes may.",
      "cached: Redis executes commands nearly all the time (93.1 % of it); fewer or cheaper commands will help.",
      "slow: the target is not busy, and requests wait (the mean service time is 20.4 ms, of which 0.100 ms are CPU time); they may wait for a timer, a disk, a lock, a pool or another service.",
    ],
  );
});

Deno.test("what an idle target waits for is said with how much of it was seen, or that it is unknown", () => {
  const seen = { service: 20, cpuPerRequest: 0.2, connections: 8, underWay: 8.03 };
  assert.deepEqual(
    sentencesOf({
      stored: { kind: "storage", ...seen, sleeping: 6.24 },
      named: { kind: "names", ...seen, lookups: 7.51 },
      capped: { kind: "connection-cap", ...seen, taken: 4 },
      other: { kind: "unknown", service: 20, cpuPerRequest: 3 },
    }),
    [
      "stored: requests wait for storage (on average, 6.2 threads sleep in reads or writes while 8.0 requests are under way); fewer or combined writes (fsync) per request, or faster storage, will help.",
      "named: requests wait for name look-ups (DNS) (on average, 7.5 sockets to a name server are open while 8.0 requests are under way); caching addresses, keeping connections open or a faster name server will help.",
      "capped: a cap on connections: the target is not busy, but leaves some connections waiting, or closes them (it accepted 4 of 8 connections); a higher cap, more workers or fewer connections will help.",
      "other: unknown: nothing that was observed explains where most requests spend their time (the mean service time is 20.0 ms, of which 3.00 ms are CPU time); `plateau run --profile` shows which code uses the CPU time and `plateau run --observe runtime` shows garbage collection.",
    ],
  );
});

Deno.test("what the experiment already looks at is not advised", () => {
  const unknown: Seen = { api: { kind: "unknown", service: 20, cpuPerRequest: 3 } };
  const seen =
    "api: unknown: nothing that was observed explains where most requests spend their time (the mean service time is 20.0 ms, of which 3.00 ms are CPU time)";
  const [profile, observe] = [{ runs: 1 }, ["runtime"]];
  assert.deepEqual(sentencesOf(unknown, { profile, observe }), [`${seen}.`]);
  assert.deepEqual(sentencesOf(unknown, { profile }), [
    `${seen}; \`plateau run --observe runtime\` shows garbage collection.`,
  ]);
  assert.deepEqual(sentencesOf(unknown, { observe }), [
    `${seen}; \`plateau run --profile\` shows which code uses the CPU time.`,
  ]);
});

Deno.test("what other programs hide is unknown because of them, if they did in all runs that agree", () => {
  const unknown = { kind: "unknown", service: 20, cpuPerRequest: 3 } as const;
  const hidden = { ...unknown, waitingShare: 0.812 };
  const because = "unknown, because other programs took cores that the target needed";
  assert.deepEqual(sentencesOf({ api: hidden }), [
    `api: ${because} (it waited for a core during 81.2 % of the time that it had work); only a run without these programs can show what limits the target.`,
  ]);
  assert.match(sentencesOf({ api: [hidden, unknown, hidden] })[0], /^api: unknown: nothing/);
  assert.equal(
    bottleneckSentence({ bottleneck: { kind: "unknown", waitingShare: 0.5 } }).replaceAll(
      /\s/g,
      " ",
    ),
    `Bottleneck: ${because} (it waited for a core during 50.0 % of the time that it had work); only a run without these programs can show what limits the target.`,
  );
});

Deno.test("a line is named by how many are served at a time", () => {
  const seen = { service: 40, cpuPerRequest: 0.2, connections: 8 };
  assert.deepEqual(
    sentencesOf({
      locked: { kind: "lock", ...seen, atOnce: 1 },
      pooled: { kind: "waiting", ...seen, atOnce: 3.1 },
    }),
    [
      "locked: the target is not busy, and requests are served one at a time (the mean service time is 40.0 ms, and 87.5 % of it is spent waiting for the others); they wait for a lock, a rate limit, or a single worker that itself waits.",
      "pooled: the target is not busy, and requests wait (the mean service time is 40.0 ms, of which 0.200 ms are CPU time); they wait in line for something that serves about 3 of them at a time, such as a pool.",
    ],
  );
});

const WAITS = "the target is not busy, and requests wait";
const FOR_SOMETHING = "they may wait for a timer, a disk, a lock, a pool or another service.";

Deno.test("a line that one of several cells has is not said of the others", () => {
  const seen = { kind: "waiting", service: 40, cpuPerRequest: 0.2 } as const;
  assert.deepEqual(sentencesOf({ pooled: { ...seen, atOnce: 3.1 }, timer: seen }), [
    `pooled and timer: ${WAITS}; ${FOR_SOMETHING}`,
  ]);
});

Deno.test("a line that one of several runs has is not said of the cell", () => {
  const seen = { kind: "waiting", service: 40, cpuPerRequest: 0.2 } as const;
  assert.deepEqual(sentencesOf({ api: [{ ...seen, atOnce: 3.1 }, seen, seen] }), [
    `api: ${WAITS} (the mean service time is 40.0 ms, of which 0.200 ms are CPU time); ${FOR_SOMETHING}`,
  ]);
});

Deno.test("cells of one kind that differ in what helps them have a sentence each", () => {
  const idle: Bottleneck = { kind: "connections", cpuPerRequest: 0.1, service: 1 };
  const sentences = sentencesOf({ idle, busy: { ...idle, cpuPerRequest: 0.9 }, still: idle });
  assert.match(sentences[0], /^idle and still: too few connections, all of which wait for/);
  assert.match(
    sentences[1],
    /^busy: too few connections: requests spend much of their time computing/,
  );
  assert.equal(sentences.length, 2);
});

Deno.test("what was seen of one cell is not said of others", () => {
  const [sentence, ...others] = sentencesOf({ api: core("deno", 0.97), gin: core("gin", 0.91) });
  assert.deepEqual(others, []);
  assert.equal(
    sentence,
    "api and gin: one core is full; more connections will not help, but more processes may.",
  );
});

Deno.test("of six cells and more the rest are counted, of five none is", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const seen = (count: number): Seen =>
    Object.fromEntries(names.slice(0, count).map((name) => [name, { kind: "offered" }]));
  const what = "the offered load, all of which was served; `plateau capacity` finds the limit.";
  assert.deepEqual(sentencesOf(seen(5)), [`a, b, c, d and e: ${what}`]);
  assert.deepEqual(sentencesOf(seen(6)), [`a, b, c, d and 2 more: ${what}`]);
});

Deno.test("of those that served what was offered, the ones near a full core are not said to have more", () => {
  const near = (cpu: number): Bottleneck => ({
    kind: "offered",
    thread: { name: "node", cpu },
  });
  const more = "the offered load, all of which was served; `plateau capacity` finds the limit.";
  const little = "the offered load, all of which was served, with little capacity left";
  assert.deepEqual(sentencesOf({ a: near(0.2), b: near(0.85), c: near(0.3) }), [
    `a and c: ${more}`,
    `b: ${little} (a thread of node uses 85.0 % of a core).`,
  ]);
  assert.deepEqual(sentencesOf({ a: near(0.82), b: near(0.85) }), [`a and b: ${little}.`]);
});

Deno.test("whatever is nearly full leaves little, and is named", () => {
  const seen: Readonly<Record<string, Omit<Bottleneck, "kind">>> = {
    "Redis uses 85.0 % of a core": { redisBusy: 0.3, redisCpu: 0.85 },
    "Redis executes commands for 85.0 % of the time": { redisBusy: 0.85, redisCpu: 0.3 },
    "the target uses 3.6 of 4 cores": { cpu: 3.6, cores: 4 },
    "the target uses 0.45 cores, and its limit is 0.5": { cpu: 0.45, limitCores: 0.5 },
    "CPU limits paused the target for 6.00 % of the time": { throttledShare: 0.06 },
    "the threads of python3 use 95.0 % of a core together": {
      thread: { name: "python3", cpu: 0.3, processCpu: 0.95 },
    },
  };
  for (const [text, evidence] of Object.entries(seen)) {
    assert.deepEqual(sentencesOf({ api: { kind: "offered", ...evidence } }), [
      `api: the offered load, all of which was served, with little capacity left (${text}).`,
    ]);
  }
});

Deno.test("full processes of a cluster, a target with one core and the kernel's work are said as they are", () => {
  const thread = { name: "node", cpu: 0.97, peers: { processes: 3, leastCpu: 0.94 } };
  assert.deepEqual(
    sentencesOf({
      cluster: { kind: "core", thread },
      pinned: { kind: "cores", cpu: 0.98, cores: 1 },
      busy: { kind: "kernel", cpu: 1, kernelShare: 0.8 },
      wide: { kind: "kernel", cpu: 3.9, kernelShare: 0.8 },
      chatty: { kind: "redis", redisBusy: 0.3, redisCpu: 0.98 },
    }),
    [
      "cluster: each process fills a core (a thread of node uses 97.0 % of it); more connections will not help, but more processes may.",
      "pinned: its only core is full (the target uses 1.0 of 1 core); only less work per request, or more cores, will help.",
      "busy: one core is full, mostly with the kernel's work for the target, such as networking (80.0 % of the target's CPU time is spent in the kernel).",
      "wide: its cores are full, mostly with the kernel's work for the target, such as networking (80.0 % of the target's CPU time is spent in the kernel).",
      "chatty: Redis fills a core (98.0 % of it); fewer or cheaper commands will help.",
    ],
  );
});

Deno.test("runs that disagree, and what is unknown, say nothing", () => {
  assert.deepEqual(
    sentencesOf({
      mixed: [core("deno", 0.95), { kind: "offered" }, { kind: "unknown" }],
      unknown: { kind: "unknown" },
    }),
    [],
  );
  assert.equal(bottleneckSentence({ bottleneck: { kind: "unknown" } }), "");
  assert.deepEqual(bottleneckFindings([], { profiled: false, observed: false }), []);
});

Deno.test("evidence that an older result lacks leaves no gap", () => {
  for (
    const kind of [
      ...["core", "cores", "kernel", "redis", "waiting", "connections", "cpu-limit"],
    ] as const
  ) {
    const sentence = bottleneckSentence({ bottleneck: { kind } });
    assert.match(sentence, /^Bottleneck: [^()]+\.$/, sentence);
    assert.doesNotMatch(sentence, /undefined|NaN| {2}| [;,.]/, sentence);
  }
});

Deno.test("the page and Markdown have the sentence of the model", () => {
  const model = modelOf({ api: core("deno", 0.949) });
  const [sentence] = saidAs(model, "verdict/1", "bottleneck");
  assert.ok(renderReportPage([model]).includes(sentence));
  assert.ok(renderMarkdown(model).replaceAll("\\", "").includes("Bottleneck of api"));
});
