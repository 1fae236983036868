import assert from "node:assert/strict";
import type * as z from "zod";
import { accessShape } from "../../base/target/access.ts";
import { loadShape, scriptShape } from "../../runner/fleet/protocol/job_schema.ts";
import { sentScript } from "../../runner/fleet/protocol/sent_script.ts";
import type { Load } from "../../scenarios/load/load.ts";
import { loadExperiment } from "../../scenarios/file/experiment_file.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { loadEngine } from "../../base/pattern.ts";
import { flowOf, script } from "../scenarios/made_script.ts";
import { asking, refuses, sending, STEP } from "./jobs.ts";

await loadEngine();

/** What an agent makes of a part of a job. */
function arrived<Part, Sent>(shape: z.ZodType<Part, Sent>, part: Sent): Part {
  return shape.parse(JSON.parse(JSON.stringify(part)));
}

for (const name of Object.keys(experiments)) {
  Deno.test(`what ${name} asks and how arrives at an agent as it is`, async () => {
    const { experiment } = await loadExperiment(name);
    const cells = planCells(experiment);
    assert.ok(cells.length > 0);
    for (const { request, load } of cells) {
      const script = scriptOf(request, 7);
      assert.deepEqual(arrived(scriptShape, sentScript(script)), script);
      assert.deepEqual(arrived(loadShape, load), load);
    }
  });
}

Deno.test("a request of the command line arrives at an agent as it is, braces and all", () => {
  const script = scriptOf(
    requestScenarioSpec.parse({
      post: "/orders?by={{ me }}",
      headers: { "X-Name": "{{ name }}", cookie: "a=b; c=d" },
      body: "line\r\n{{ x }}\u2028é",
      expect: { status: [200, 201], contains: "ok" },
    }),
    1,
  );
  assert.deepEqual(arrived(scriptShape, sentScript(script)), script);
});

Deno.test("mixes, pages and flows with all that can be in them arrive as they are", () => {
  const scripts = [
    script({ mix: [{ get: "/a", weight: 3 }, { put: "/b", json: { b: [1, null] } }] }),
    script({ get: "/{{ id }}", values: { id: { to: 1_000 } } }),
    script({ get: "/{{ p.name }}", values: { p: { csv: "people.csv", order: "unique" } } }),
    script({ page: "/", with: ["/a.css", "/b.png"] }),
    script({ page: "/", with: ["/a.css", "/b.png"], parallel: 6 }),
    script({
      values: { person: { csv: "people.csv" } },
      flow: [
        {
          post: "/login",
          json: { user: "{{ person.name }}", word: "{{ person.word }}" },
          capture: {
            token: { json: "$.data[0].token" },
            größe: { header: "x-size" },
            csrf: { pattern: 'name="csrf" value="(.+?)"' },
          },
        },
        { think: "250ms" },
        { get: "{{ token }}", headers: { authorization: "Bearer {{ token }}" } },
        { get: "/{{größe}}/{{ csrf }}" },
      ],
    }),
  ];
  for (const { tables: _, ...script } of scripts) {
    assert.deepEqual(arrived(scriptShape, sentScript(script)), script);
  }
  assert.deepEqual(
    scripts.map((script) => "tables" in sentScript(script)),
    scripts.map(() => false),
  );
});

const COMMON = { connections: 100_000, keepAlive: true, timeout: 5_000, workers: null };
const CLOSED = {
  kind: "closed",
  ...COMMON,
  pipeline: 1,
  durationMs: 10_000,
  requests: null,
} as const;
const RATE = {
  kind: "rate",
  ...COMMON,
  workers: 4,
  ratePerSec: 0.5,
  arrivals: "poisson",
  durationMs: 1,
} as const;
const STAGE = { durationUs: 1_500.5, from: 0, to: 100_000 };
const PHASE = { durationUs: 1_500.5, fromPerSec: 0, toPerSec: 1_000_000 };
const PHASES = {
  kind: "phases",
  ...COMMON,
  phases: [PHASE, { durationUs: 1_000, fromPerSec: 0, toPerSec: 0 }],
  arrivals: "uniform",
  pool: "shared",
} as const;

Deno.test("every kind of load arrives at an agent as it is", () => {
  const loads: Load[] = [
    ...[CLOSED, { ...CLOSED, durationMs: null, requests: 5 }, RATE, PHASES],
    { ...CLOSED, stages: [STAGE, { durationUs: 1_000, from: 0, to: 0 }] },
    ...[{ ...CLOSED, pipeline: 8 }, RATE, PHASES].map((load): Load => ({ ...load, http2: true })),
  ];
  for (const load of loads) assert.deepEqual(arrived(loadShape, load), load);
});

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

Deno.test("the way to a target arrives at an agent as it is", () => {
  const ways = [{}, { insecure: true }, { caCerts: [PEM] }, { unixPath: "/run/app.sock" }, {
    addresses: ["::1", "127.0.0.1"],
  }, { clientCertificate: { cert: PEM, key: "KEY" } }];
  for (const way of ways) assert.deepEqual(arrived(accessShape, way), way);
});

function expecting(expect: object): unknown {
  return asking({ ...STEP, expect });
}

function capturing(from: object, as = "it"): unknown {
  return asking({ ...STEP, captures: [{ as, from }] });
}

Deno.test("a job may ask nothing that an experiment file could not", () => {
  const flow = flowOf({ flow: [{ get: "/" }, { think: "1s" }] });
  const think = { kind: "think", thinkMs: 1_000 };
  const wrong: [script: unknown, why: RegExp][] = [
    [null, /expected object/],
    [{ kind: "shell", command: "id" }, /Invalid/],
    [{ kind: "requests", stepNames: [], requests: [], sequence: [0] }, /Too small/],
    [{ kind: "requests", stepNames: [], requests: [STEP], sequence: [] }, /Too small/],
    [
      { kind: "requests", stepNames: [], requests: [STEP], sequence: [1] },
      /that is not in the job/,
    ],
    [{ kind: "requests", stepNames: [], requests: [STEP], sequence: [-1] }, /Too small/],
    [{ kind: "requests", stepNames: [], requests: [STEP], sequence: [0.5] }, /expected int/],
    [{ kind: "requests", stepNames: [], requests: [think], sequence: [0] }, /expected "request"/],
    [
      { kind: "requests", stepNames: [], requests: [STEP], sequence: Array(1_000_001).fill(0) },
      /Too big/,
    ],
    [{ ...flow, steps: [think] }, /Cannot run a flow without a request/],
    [{ ...flow, steps: [STEP, { kind: "think", thinkMs: 0 }] }, /must be from 1ms to 1h/],
    [{ ...flow, steps: [STEP, { kind: "think", thinkMs: 3_600_001 }] }, /must be from 1ms to 1h/],
    [{ ...flow, users: [] }, /Too small/],
    [{ ...flow, users: [{ name: 1 }] }, /expected string/],
    [expecting({ status: 99 }), /Invalid input|Too small/],
    [expecting({ status: [] }), /Invalid input|Too small/],
    [expecting({ body: 1 }), /expected string/],
    [expecting({ starts: "a" }), /Unrecognized key/],
    [expecting({ matches: "(" }), /it is not a regular expression/],
    [expecting({ matches: "(?=a)b" }), /cannot be matched in linear time/],
    [capturing({ kind: "pattern", source: "(" }), /it is not a regular expression/],
    [capturing({ kind: "pattern", source: "a" }), /needs one group/],
    [capturing({ kind: "pattern", source: "(?=a)(b)" }), /cannot be matched in linear time/],
    [capturing({ kind: "pattern", source: "(|)".repeat(60) + "(x)" }), /has 61/],
    [capturing({ kind: "pattern", source: `(${"a".repeat(1_000)})` }), /1,002 characters/],
    [capturing({ kind: "header", name: "a b" }), /as a header name/],
    [capturing({ kind: "json", path: [] }), /Too small/],
    [capturing({ kind: "json", path: ["a.b"] }), /Cannot use "a.b" as a name in JSON/],
    [capturing({ kind: "file", path: "/etc/passwd" }), /Invalid/],
    [capturing({ kind: "header", name: "x" }, "a b"), /as the name of a value/],
  ];
  for (const [script, why] of wrong) refuses(scriptShape, script, why);
});

Deno.test("a job may load no more than an experiment file could", () => {
  const wrong: [load: object, why: RegExp][] = [
    [{ ...CLOSED, connections: 100_001 }, /Too big/],
    [{ ...CLOSED, connections: 0 }, /Too small/],
    [{ ...CLOSED, pipeline: 1_001 }, /Too big/],
    [{ ...CLOSED, timeout: 0.5 }, /must be from 1ms to 1h/],
    [{ ...CLOSED, timeout: null }, /expected number/],
    [{ ...CLOSED, durationMs: 86_400_001 }, /must be from 1ms to 24h/],
    [{ ...CLOSED, durationMs: null }, /give either durationMs or requests/],
    [{ ...CLOSED, requests: 5 }, /give either durationMs or requests/],
    [{ ...CLOSED, durationMs: null, requests: 1e10 }, /Too big/],
    [{ ...CLOSED, workers: 257 }, /Too big/],
    [{ ...CLOSED, keepAlive: "no" }, /expected boolean/],
    [{ ...CLOSED, ratePerSec: 5 }, /Unrecognized key/],
    [{ ...CLOSED, http2: "yes" }, /expected true/],
    [{ ...RATE, http2: true, keepAlive: false }, /over HTTP\/2, which keeps connections open/],
    [{ ...CLOSED, stages: [] }, /Too small|without connections/],
    [{ ...CLOSED, stages: [{ ...STAGE, to: 0 }] }, /Cannot load without connections/],
    [{ ...CLOSED, stages: [{ ...STAGE, to: 100_001 }] }, /Too big/],
    [{ ...CLOSED, stages: [{ ...STAGE, from: 0.5 }] }, /expected int/],
    [{ ...CLOSED, stages: [{ ...STAGE, durationUs: 0 }] }, /must be from 1ms to 24h/],
    [{ ...RATE, ratePerSec: 0 }, /Too small/],
    [{ ...RATE, ratePerSec: 1_000_001 }, /Too big/],
    [{ ...RATE, durationMs: null }, /expected number/],
    [{ ...RATE, arrivals: "at once" }, /Invalid option/],
    [{ ...PHASES, phases: [] }, /Too small|without arrivals/],
    [{ ...PHASES, phases: [{ ...PHASE, toPerSec: 0 }] }, /Cannot load without arrivals/],
    [{ ...PHASES, phases: [{ ...PHASE, fromPerSec: -1 }] }, /Too small/],
    [{ ...PHASES, phases: [{ ...PHASE, durationUs: 0 }] }, /must be from 1ms to 24h/],
    [{ ...PHASES, pool: "none" }, /Invalid option/],
    [{ ...PHASES, kind: "flood" }, /Invalid/],
  ];
  for (const [load, why] of wrong) refuses(loadShape, load, why);
});

Deno.test("a job's way to its target is checked", () => {
  const wrong: [access: object, why: RegExp][] = [
    [{ insecure: 1 }, /expected boolean/],
    [{ caCerts: "x" }, /expected array/],
    [
      { caCerts: ["-----BEGIN PRIVATE KEY-----"] },
      /Cannot read these certificates: they are not in PEM format/,
    ],
    [{ addresses: ["a"] }, /not an IP address/],
    [{ addresses: [] }, /Too small/],
    [{ proxy: "http://a" }, /Cannot understand|[Uu]nrecognized/],
    [{ unixPath: "" }, /Too small/],
    [{ unixPath: "/run/a\0b" }, /with a NUL character in it/],
    [{ proxy: "http://elsewhere" }, /Unrecognized key/],
  ];
  for (const [access, why] of wrong) refuses(accessShape, access, why);
});

Deno.test("a script whose text is larger than Redis keeps is refused", () => {
  refuses(scriptShape, sending({ body: "x".repeat(64 * 1024 * 1024 + 1) }), /Too big/);
});
