import assert from "node:assert/strict";
import { reportModel } from "../../report/model/model.ts";
import { renderMarkdown } from "../../report/files/markdown.ts";
import { bottleneckFindings, bottleneckSentence } from "../../report/model/findings/bottleneck.ts";
import { renderReportPage } from "../../report/page/page.ts";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { resultsFixture } from "./fixture.ts";

type Seen = Readonly<Record<string, Bottleneck | readonly Bottleneck[]>>;

/** Each target with what kept it from serving more, in all of three runs or run by run. */
function modelOf(seen: Seen): ReturnType<typeof reportModel> {
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
    runs: drawn.runs.map((run) => ({
      ...run,
      bottleneck: [seen[run.target]].flat()[run.repetition - 1] ?? [seen[run.target]].flat()[0],
    })),
  });
}

function sentencesOf(seen: Seen): string[] {
  return modelOf(seen).scenarios[0].bottlenecks.map((text) => text.replaceAll(/\s/g, " "));
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
      "api: one core is full (a thread of deno has 94.9 % of it); more connections will not help, more processes may.",
      "cached: Redis carries out commands nearly all the time (93.1 %); fewer or cheaper commands will help.",
      "slow: nothing is busy, and requests wait (of 20.4 ms, 0.100 ms are CPU time), such as for a timer, a lock, a pool or another service.",
    ],
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
      "locked: nothing is busy, and requests are served one at a time (of 40.0 ms, a request waits 87.5 % for the others): for a lock, or for a single worker that itself waits.",
      "pooled: nothing is busy, and requests wait (of 40.0 ms, 0.200 ms are CPU time), in line for what serves about 3.1 of them at a time, such as a pool.",
    ],
  );
});

const WAITS = "nothing is busy, and requests wait";
const FOR_SOMETHING = "such as for a timer, a lock, a pool or another service.";

Deno.test("a line that one of several cells has is not said of the others", () => {
  const seen = { kind: "waiting", service: 40, cpuPerRequest: 0.2 } as const;
  assert.deepEqual(sentencesOf({ pooled: { ...seen, atOnce: 3.1 }, timer: seen }), [
    `pooled and timer: ${WAITS}, ${FOR_SOMETHING}`,
  ]);
});

Deno.test("a line that one of several runs has is not said of the cell", () => {
  const seen = { kind: "waiting", service: 40, cpuPerRequest: 0.2 } as const;
  assert.deepEqual(sentencesOf({ api: [{ ...seen, atOnce: 3.1 }, seen, seen] }), [
    `api: ${WAITS} (of 40.0 ms, 0.200 ms are CPU time), ${FOR_SOMETHING}`,
  ]);
});

Deno.test("cells of one kind that differ in what helps them have a sentence each", () => {
  const idle: Bottleneck = { kind: "connections", cpuPerRequest: 0.1, service: 1 };
  const sentences = sentencesOf({ idle, busy: { ...idle, cpuPerRequest: 0.9 }, still: idle });
  assert.match(sentences[0], /^idle and still: too few connections, all of which wait for/);
  assert.match(sentences[1], /^busy: too few connections, as requests are worked on/);
  assert.equal(sentences.length, 2);
});

Deno.test("what was seen of one cell is not said of others", () => {
  const [sentence, ...others] = sentencesOf({ api: core("deno", 0.97), gin: core("gin", 0.91) });
  assert.deepEqual(others, []);
  assert.equal(
    sentence,
    "api and gin: one core is full; more connections will not help, more processes may.",
  );
});

Deno.test("of six cells and more the rest are counted, of five none is", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const seen = (count: number): Seen =>
    Object.fromEntries(names.slice(0, count).map((name) => [name, { kind: "offered" }]));
  const what =
    "the load offered, all of which was served; the limit is higher, and plateau capacity finds it.";
  assert.deepEqual(sentencesOf(seen(5)), [`a, b, c, d and e: ${what}`]);
  assert.deepEqual(sentencesOf(seen(6)), [`a, b, c, d and 2 more: ${what}`]);
});

Deno.test("of those that served what was offered, the ones near a full core are not said to have more", () => {
  const near = (cpu: number): Bottleneck => ({
    kind: "offered",
    thread: { name: "node", cpu },
  });
  const more =
    "the load offered, all of which was served; the limit is higher, and plateau capacity finds it.";
  const little = "the load offered, all of which was served, with little left";
  assert.deepEqual(sentencesOf({ a: near(0.2), b: near(0.85), c: near(0.3) }), [
    `a and c: ${more}`,
    `b: ${little} (a thread of node has 85.0 % of a core).`,
  ]);
  assert.deepEqual(sentencesOf({ a: near(0.82), b: near(0.85) }), [`a and b: ${little}.`]);
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
  assert.deepEqual(bottleneckFindings([]), []);
});

Deno.test("evidence that an older result lacks leaves no gap", () => {
  for (
    const kind of [
      "core",
      "cores",
      "kernel",
      "redis",
      "waiting",
      "connections",
      "cpu-limit",
    ] as const
  ) {
    const sentence = bottleneckSentence({ bottleneck: { kind } });
    assert.match(sentence, /^Bottleneck: [^()]+\.$/, sentence);
    assert.doesNotMatch(sentence, /undefined|NaN| {2}| [;,.]/, sentence);
  }
});

Deno.test("the page and Markdown have the sentence of the model", () => {
  const model = modelOf({ api: core("deno", 0.949) });
  const [sentence] = model.scenarios[0].bottlenecks;
  assert.ok(renderReportPage([model]).includes(`Bottleneck of ${sentence}`));
  assert.ok(renderMarkdown(model).replaceAll("\\", "").includes("Bottleneck of api"));
});
