import assert from "node:assert/strict";
import { machineFacts, methodSentences } from "../../report/subjects/method/method.ts";
import type { Results } from "../../runner/result/result.ts";
import { type FixtureSpec, resultsFixture } from "./fixture.ts";

const CELLS = [
  { target: "slow", scenario: "static", medianMs: 2, runs: 2 },
  { target: "fast", scenario: "static", medianMs: 1 },
];

function factsOf(spec: Partial<FixtureSpec> = {}): Record<string, string> {
  const facts = machineFacts(resultsFixture({ cells: CELLS, ...spec }));
  return Object.fromEntries(facts.map(({ label, text }) => [label, text]));
}

Deno.test("what is known of the machine stands in the report, and what runs each target, once", () => {
  const facts = factsOf({
    machine: {
      allowedCores: 2,
      turbo: true,
      limits: { cores: 1.5, memory: 2e9 },
      container: "docker",
      virtual: "kvm",
    },
  });
  assert.equal(facts["Processor"], "Some CPU @ 2.40GHz, 4 cores (2 for Plateau), x86_64");
  assert.equal(facts["Clock speed"], "governor performance, turbo on");
  assert.equal(facts["Runs in"], "a container (docker) in a virtual machine (kvm)");
  assert.match(
    facts["Limits"],
    /^CPU time of 1\.50 cores, 2\S*\sGB of memory, 65,536 open files, ports/,
  );
  assert.equal(facts["Targets run by"], "fast: node v20.20.2; slow: node v20.20.2");
  assert.equal(facts["Commit"], "0123456789abcdef0123456789abcdef01234567");
  assert.equal(facts["Settings"], `SHA-256 ${"5e".repeat(32)}`);
});

Deno.test("of what can't be told nothing is said", () => {
  const unknown = { governor: null, turbo: null, openFiles: null, ports: null };
  const facts = factsOf({ machine: unknown, cells: [{ ...CELLS[0], watched: false }] });
  for (const label of ["Clock speed", "Runs in", "Limits", "Targets run by"]) {
    assert.equal(facts[label], undefined, label);
  }
});

Deno.test("a commit that does not hold all changes says so", () => {
  const results = resultsFixture({ cells: CELLS });
  const dirty = { hash: "ab".repeat(20), dirty: true };
  const texts = machineFacts({ ...results, commit: dirty }).map(({ text }) => text);
  assert.ok(texts.some((text) => /^(?:ab){20}, with uncommitted changes/.test(text)));
  const none = machineFacts({ ...results, commit: null }).map(({ label }) => label);
  assert.ok(!none.includes("Commit"));
});

Deno.test("pins stand among the facts, by who is kept where", () => {
  const coresOf = (pin: unknown): string => factsOf({ experiment: { pin } })["Cores"];
  assert.equal(coresOf({ targets: "0", workers: "1-3" }), "targets on 0, load generator on 1-3");
  assert.equal(coresOf({ workers: "1" }), "load generator on 1");
  assert.equal(coresOf(undefined), undefined);
});

Deno.test("what cannot be exceeded here is told where it was measured", () => {
  const ceilings = {
    generator: { perSec: 213_210.4, by: "one worker (epoll)" },
    redis: { perSec: 152_671.77, by: "redis-benchmark 7.0.15: GET" },
  };
  const textsOf = (changes: Partial<Results>): (string | undefined)[] => {
    const facts = machineFacts({ ...resultsFixture({ cells: CELLS }), ...changes });
    return ["Load worker at most", "Redis at most"]
      .map((label) => facts.find((fact) => fact.label === label)?.text);
  };
  assert.deepEqual(textsOf({ peakThroughput: ceilings }), [
    "213,210 requests/s (one worker (epoll))",
    "152,672 requests/s (redis-benchmark 7.0.15: GET)",
  ]);
  assert.deepEqual(textsOf({ peakThroughput: { redis: null } }), [
    undefined,
    "could not be measured",
  ]);
  assert.deepEqual(textsOf({}), [undefined, undefined]);
});

Deno.test("who served is told by the kinds of the targets, and by where responses were proved", () => {
  const [app, url] = [{ app: "api" }, { url: "http://127.0.0.1:8080" }];
  const each = "Each target had to pass the preflight check before every run.";
  const fresh = "Every run had a fresh process of its target.";
  const cases: [experiment: Record<string, unknown>, sentences: (string | RegExp)[]][] = [
    [{ targets: { slow: app, fast: app } }, [fresh, each]],
    [{ targets: { slow: app, fast: app }, prove: "apart" }, [fresh, /once before its first run/]],
    [{ targets: { slow: app, fast: url } }, [
      "Targets that were already running, and were measured at their URLs: fast.",
      fresh,
      each,
    ]],
    // One that was not measured served nothing.
    [{ targets: { slow: url, fast: url, other: app }, fresh: false }, [/: slow, fast\.$/, each]],
    [{ targets: { slow: app, fast: app }, fresh: false }, [/served all of its runs/, each]],
  ];
  for (const [experiment, expected] of cases) {
    const sentences = methodSentences(resultsFixture({ cells: CELLS, experiment }));
    expected.forEach((one, i) =>
      typeof one === "string" ? assert.equal(sentences[i], one) : assert.match(sentences[i], one)
    );
    assert.match(sentences[expected.length], /^The runs were made /);
  }
});

Deno.test("requests/s of several runs are said to be their mean, as the tables have them", () => {
  const text = methodSentences(resultsFixture({ cells: CELLS })).join(" ");
  assert.match(text, /several runs, Requests\/s is their mean/);
});
