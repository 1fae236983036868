/** How the runs were loaded, in words, also where scenarios have loads of their own; and what scenarios send. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { loadText, requestText } from "../../report/subjects/method/load.ts";
import { factsIn, said } from "./said.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { resultsFixture } from "./fixture.ts";

type Load = Run["load"];

const open = {
  connections: 100,
  keepAlive: true,
  timeout: 5_000,
  arrivals: "uniform",
  seed: 1,
} as const;
const rate = (perSec: number): Load => ({ kind: "rate", ...open, rate: perSec, durationS: 9 });
const PHASES: Load = {
  kind: "phases",
  ...open,
  arrivals: "poisson",
  pool: "own",
  phases: [{ durationS: 60, from: 5, to: 50 }, { durationS: 10, from: 0, to: 0 }],
};

/** With the loads of the runs of each scenario; without: the fixture's own, as the experiment says. */
function resultsOf(
  scenarios: Record<string, Load[] | undefined>,
  experiment: Record<string, unknown> = {},
): Results {
  const results = resultsFixture({
    cells: Object.entries(scenarios).flatMap(([scenario, loads = [null]]) =>
      loads.map((_, i) => ({ target: "a", scenario, medianMs: 5, duration: 1, parameters: { i } }))
    ),
    experiment: {
      scenarios: Object.fromEntries(
        Object.entries(scenarios).map(([name, load]) => [name, { get: "/", ...load && { load } }]),
      ),
      ...experiment,
    },
  });
  const runs = results.runs.map((run) => {
    const load = scenarios[run.scenario]?.[Number(run.parameters.i)];
    return load ? { ...run, load } : run;
  });
  return { ...results, runs };
}

/** With plain spaces. */
function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

function factsOf(results: Results): Record<string, string> {
  const facts = factsIn(reportModel(results)).map(({ label, text }) => [label, plain(text)]);
  return Object.fromEntries(facts);
}

Deno.test("rates of runs that are loaded alike otherwise are told together", () => {
  const loads = [rate(10), { ...rate(30), connections: 5 }, rate(20)].map((load) => ({ load }));
  assert.equal(
    plain(loadText(loads)),
    "10.0 or 20.0 requests/s over at most 100 connections, 9 s, evenly spread arrivals; " +
      "30.0 requests/s over at most 5 connections, 9 s, evenly spread arrivals",
  );
});

Deno.test("a load is told as it was asked for: one of a thing is one, and no second is rounded", () => {
  const closed = { connections: 1, keepAlive: true, timeout: 5_000, pipeline: 1 };
  const told = (load: Load): string => plain(loadText([{ load }]));
  assert.equal(
    told({ kind: "closed", ...closed, durationS: 0.25, requests: null }),
    "1 connection, 0.25 s",
  );
  assert.equal(
    told({ kind: "closed", ...closed, connections: 2, durationS: null, requests: 1 }),
    "2 connections, 1 request",
  );
  assert.equal(
    told({ ...rate(10), connections: 1, durationS: 12.5 } as Load),
    "10.0 requests/s over at most 1 connection, 12.5 s, evenly spread arrivals",
  );
  const phases = [{ durationS: 1.25, from: 5, to: 5 }, { durationS: 90, from: 5, to: 5 }];
  assert.match(told({ ...PHASES, phases } as Load), /: 1\.25 s at 5\.00\/s, then 1 min 30 s at /);
});

Deno.test("stages are told one after the other, and no constant load is mixed with them", () => {
  const closed = { kind: "closed", connections: 20, keepAlive: true, timeout: 5_000 } as const;
  const stages = [{ durationS: 30, from: 1, to: 20 }, { durationS: 60, from: 20, to: 20 }, {
    durationS: 0.5,
    from: 20,
    to: 0,
  }];
  const staged = { ...closed, pipeline: 1, durationS: 90.5, requests: null, stages };
  const constant = { ...closed, pipeline: 1, durationS: 9, requests: null };
  assert.equal(
    plain(loadText([{ load: staged }, { load: constant }])),
    "20 connections, 9 s; 1 → 20 connections for 30 s, then 20 connections for 1 min, " +
      "then 20 → 0 connections for 0.5 s",
  );
});

Deno.test("HTTP/2 is told with every kind of load, and its streams where there are several", () => {
  const told = (...loads: Load[]): string => plain(loadText(loads.map((load) => ({ load }))));
  const http2 = { http2: true } as const;
  const closed = { connections: 10, keepAlive: true, timeout: 5_000, requests: null } as const;
  const one: Load = { kind: "closed", ...closed, pipeline: 1, durationS: 9 };
  const eight: Load = { ...one, pipeline: 8 };
  assert.equal(told({ ...one, ...http2 }), "10 HTTP/2 connections, 9 s");
  assert.equal(told({ ...one, ...http2, connections: 1 }), "1 HTTP/2 connection, 9 s");
  assert.equal(told({ ...eight, ...http2 }), "10 HTTP/2 connections, 9 s, 8 streams on each");
  assert.equal(told(one, { ...one, ...http2 }), "10 connections, 9 s, over HTTP/1.1 or HTTP/2");
  assert.equal(
    told(one, { ...eight, ...http2 }),
    "10 connections, 9 s, 1 or 8 requests in flight on each, over HTTP/1.1 or HTTP/2",
  );
  const stages = [{ durationS: 30, from: 1, to: 1 }];
  assert.equal(told({ ...one, ...http2, stages }), "1 HTTP/2 connection for 30 s");
  assert.equal(
    told(rate(5), { ...rate(5), ...http2 }),
    "5.00 requests/s over at most 100 connections, 9 s, evenly spread arrivals; " +
      "5.00 requests/s over at most 100 HTTP/2 connections, 9 s, evenly spread arrivals",
  );
  assert.match(told({ ...PHASES, ...http2 }), /^virtual users each with an HTTP\/2 connection of /);
  assert.match(
    told({ ...PHASES, ...http2, pool: "shared" } as Load),
    /^virtual users sharing HTTP\/2 connections: /,
  );
});

Deno.test("virtual users who differ in their courses alone are told together", () => {
  const course = (perSec: number): Load => ({
    ...PHASES,
    phases: [{ durationS: 6, from: perSec, to: perSec }],
  });
  const told = (...loads: Load[]): string => plain(loadText(loads.map((load) => ({ load }))));
  const users = "virtual users each with a connection of their own: ";
  assert.equal(
    told(course(40), course(100), course(20), course(40)),
    `${users}6 s at 20.0, 40.0 or 100/s, Poisson arrivals`,
  );
  assert.equal(
    told(course(40), PHASES),
    `${users}6 s at 40.0/s or 1 min at 5.00 → 50.0/s, then 10 s at 0/s, Poisson arrivals`,
  );
});

Deno.test("one load for all scenarios is told once, at the top", () => {
  for (
    const results of [
      resultsOf({ s: undefined, t: undefined }),
      resultsOf({ s: [rate(5)], t: [rate(5)] }),
    ]
  ) {
    const { scenarios } = reportModel(results).context;
    assert.deepEqual(scenarios.map(({ load }) => load), ["", ""]);
    assert.ok(!factsOf(results)["Load of a run"].includes("told with"));
  }
});

const DIFFERENT = resultsOf({ plain: undefined, high: [rate(10), rate(20)], ramp: [PHASES] });
const HIGH = "10.0 or 20.0 requests/s over at most 100 connections, 9 s, evenly spread arrivals";

Deno.test("loads that differ are told with each scenario, and in the method", () => {
  const model = reportModel(DIFFERENT);
  const { scenarios } = model.context;
  assert.equal(
    factsOf(DIFFERENT)["Load of a run"],
    "3 different loads, given with their scenarios",
  );
  assert.deepEqual(scenarios.map(({ load }) => plain(load)), [
    "50 connections, 1 s",
    HIGH,
    "virtual users each with a connection of their own: 1 min at 5.00 → 50.0/s, then 10 s at 0/s, Poisson arrivals",
  ]);
  const sentences = said(model, "method").map(({ text }) => plain(text));
  assert.ok(sentences.includes("Load of plain: 50 connections, 1 s."));
  assert.ok(sentences.includes(`Load of high: ${HIGH}.`));
  assert.ok(sentences.some((text) => text.startsWith("Closed loop: each connection")));
  assert.ok(sentences.some((text) => text.startsWith("Open loop: requests arrive")));
});

Deno.test("page, terminal and markdown all tell the load of a scenario", () => {
  const model = reportModel(DIFFERENT);
  const line = new RegExp(`Load: ${HIGH}`);
  assert.match(plain(renderReportPage([model])), line);
  assert.match(plain(renderSummary(model, { width: 200, color: false, unicode: true })), line);
  assert.match(plain(renderMarkdown(model)), line);
});

Deno.test("the parameters that were chosen are among the facts", () => {
  const chosen = resultsOf({ s: undefined }, { parameters: { scale: "paper", n: [1, 2], x: 0.5 } });
  assert.equal(factsOf(chosen).Parameters, "scale paper, n [1,2], x 0.5");
  assert.equal("Parameters" in factsOf(resultsOf({ s: undefined })), false);
});

Deno.test("lists that make factors are no difference between two results whose cells have the same values", () => {
  const measured = (instances: number[], rates: number[], env: string): Results =>
    resultsFixture({
      cells: instances.map((value) => ({
        target: "several",
        scenario: "s",
        medianMs: 5,
        duration: 1,
        runs: 2,
        parameters: { "cluster.instances": value },
      })),
      experiment: {
        targets: { several: { cluster: { of: "a", instances }, env: { MODE: env } } },
        scenarios: { s: { get: "/", load: { rate: rates } } },
      },
    });
  const differences = (env: string): readonly string[] =>
    compareResults(measured([1, 2], [5], "x"), measured([1, 2, 4], [5, 6], env))
      .differences;
  assert.deepEqual(differences("x"), []);
  assert.deepEqual(differences("y"), ["targets.several.env.MODE: x → y"]);
});

// What a scenario sends, in a line.

const LONG = `/${"a".repeat(200)}`;

/** The scenario as the results have it, and what a reader sees. */
function textOf(scenario: string): string {
  const source = `name: x\ntargets: { a: { app: api } }\nscenarios: { s: ${scenario} }\n`;
  const { scenarios } = JSON.parse(JSON.stringify(parseExperiment(source, "x.yaml")));
  return plain(requestText("s", scenarios));
}

const LINES: [sentence: string, scenario: string, text: string][] = [
  ["a request is its method and path", "{ get: /static }", "GET /static"],
  ["a request with a body is no longer", "{ post: /login, json: { user: a } }", "POST /login"],
  [
    "a flow is its steps",
    "{ flow: [{ get: /home }, { think: 1.25s }, { post: /login }, { think: 50ms }, { get: /me }] }",
    "flow: GET /home → think 1.25 s → POST /login → think 50 ms → GET /me",
  ],
  [
    "a step that opens a WebSocket is its path",
    "{ flow: [{ post: /login }, { websocket: /ws, send: { text: a }, hold: 1s }] }",
    "flow: POST /login → WebSocket /ws",
  ],
  [
    "a flow whose users think",
    "{ flow: [{ think: { mean: 2s, as: uniform } }, { get: / }] }",
    "flow: think 2 s on average (uniform) → GET /",
  ],
  [
    "a mix is its requests with their shares",
    "{ mix: [{ weight: 7, get: /a }, { weight: 3, post: /b }] }",
    "mix: 70 % GET /a, 30 % POST /b",
  ],
  [
    "shares have three digits",
    "{ mix: [{ get: /a }, { get: /b }, { get: /c }] }",
    "mix: 33.3 % GET /a, 33.3 % GET /b, 33.3 % GET /c",
  ],
  [
    "a page says how much goes with it",
    "{ page: /, with: [/a, /b, /c] }",
    "page: GET / with 3 more",
  ],
  ["a page may be alone", "{ page: / }", "page: GET /"],
  ["a long path is cut", `{ get: ${LONG} }`, `GET ${LONG.slice(0, 95)}…`],
  [
    "of many steps the first are told",
    `{ flow: [${"{ get: /a/path/of/a/length }, ".repeat(9)}] }`,
    "flow: GET /a/path/of/a/length → GET /a/path/of/a/length → GET /a/path/of/a/length → GET /a/path/of/…",
  ],
  [
    "of a long path among many its beginning is told",
    `{ mix: [{ get: ${LONG} }, { get: /b }, { get: /c }] }`,
    `mix: 33.3 % GET ${LONG.slice(0, 83)}…`,
  ],
  [
    "a page with a long path keeps what goes with it",
    `{ page: ${LONG}, with: [/a] }`,
    `page: GET ${LONG.slice(0, 77)}… with 1 more`,
  ],
];

for (const [sentence, scenario, text] of LINES) {
  Deno.test(`in the report ${sentence}`, () => assert.equal(textOf(scenario), text));
}

for (const scenarios of [undefined, null, {}, { s: null }, { s: { flow: [] } }, { s: { x: 1 } }]) {
  Deno.test(`scenarios that are ${JSON.stringify(scenarios)} say nothing`, () => {
    assert.equal(requestText("s", scenarios), "");
  });
}

Deno.test("a request in the report never has more than 100 characters", () => {
  const path = fc.nat(120).map((length) => `/${"a".repeat(length)}`);
  const step = fc.oneof(
    fc.record({ get: path, weight: fc.integer({ min: 1, max: 1_000 }) }),
    fc.record({ think: fc.nat() }),
  );
  const steps = fc.array(step, { minLength: 1, maxLength: 40 });
  const scenario = fc.oneof(
    steps.map((flow) => ({ flow })),
    steps.map((mix) => ({ mix })),
    fc.record({ page: path, with: fc.array(path, { maxLength: 9 }) }),
    fc.record({ post: path }),
  );
  const property = fc.property(scenario, (s) => {
    const text = requestText("s", { s });
    assert.ok(text.length > 0 && text.length <= 100, text);
  });
  fc.assert(property, { seed: 1 });
});
