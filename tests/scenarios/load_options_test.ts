/** The options of a load, each from the file and the flag to the job, the result and the report. */
import assert from "node:assert/strict";
import { LOAD_OPTIONS, type LoadOptions } from "../../base/load_options.ts";
import { loadText } from "../../report/subjects/method/load.ts";
import { loadShape } from "../../runner/fleet/protocol/job_schema.ts";
import { describeLoad } from "../../runner/measure/described_load.ts";
import { shareOut } from "../../runner/measure/share.ts";
import { load as describedLoad } from "../../runner/result/result.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { benchOf, toldOf, URL_ } from "../cli/command_line.ts";
import { RIGHT, wrongLines } from "./right_experiment.ts";

interface Sample {
  /** In the file; absent: as the value. */
  readonly written?: unknown;
  /** Behind the flag, if it takes a value. */
  readonly text: string | null;
  /** What the description of the load says of it; absent: nothing, because a report says it elsewhere. */
  readonly said?: RegExp;
  /** Its value in a load that does not name it; absent: none. */
  readonly usual?: unknown;
  /** In the job of a worker; absent: the same field. */
  readonly job?: { readonly [name: string]: unknown };
}

const SAMPLES: { [Name in keyof Required<LoadOptions>]: Sample & { value: LoadOptions[Name] } } = {
  timeout: {
    value: 2_000,
    written: "2s",
    text: "2s",
    usual: 5_000,
    job: { timeoutUs: 2_000_000 },
  },
  keepAlive: { value: false, text: null, said: /a new connection for every request/, usual: true },
  http2: { value: true, text: null, said: /HTTP\/2 connection/ },
  abortOn: { value: ["errors > 5%"], text: "errors > 5%", said: /ends early on errors > 5%/ },
  connectRate: {
    value: 100,
    written: "100/s",
    text: "100/s",
    said: /new connections limited to 100\/s/,
  },
  tls: {
    value: "resume",
    written: { resume: true },
    text: "resume",
    said: /TLS sessions resumed/,
  },
  maxBody: { value: 16_000, written: "16kB", text: "16kB", said: /bodies of at most 16 [kK]B/ },
  requestsPerConnection: {
    value: 25,
    text: "25",
    said: /a new connection after every 25 requests/,
  },
};

/** An experiment with that load. */
function experimentWith(load: object): string {
  return `${RIGHT}load: ${JSON.stringify(load)}\n`;
}

/** The same, of a server with TLS. */
function secureExperimentWith(load: object): string {
  return experimentWith(load).replace("{ app: api }", "{ url: https://localhost:1 }");
}

const KINDS = [
  {},
  { stages: [{ duration: "1s", connections: 3 }] },
  { rate: "10/s" },
  { phases: [{ duration: "1s", arrivals: "5/s" }] },
];

for (const [name, sample] of Object.entries(SAMPLES)) {
  const { value, written, text, said, usual, job = { [name]: value } } = sample;
  for (const kind of KINDS) {
    Deno.test(`${name}: from the file to job, result and report, ${JSON.stringify(kind)}`, () => {
      const [{ load }] = planCells(
        parseExperiment(secureExperimentWith({ ...kind, [name]: written ?? value }), "x.yaml"),
      );
      if (load.kind === "capacity") throw new Error("no search was asked for");
      assert.deepEqual(Reflect.get(load, name), value);
      assert.deepEqual(loadShape.parse(load), load);
      const script = scriptOf(requestScenarioSpec.parse({ get: "/" }), 0);
      const request = {
        origin: "http://127.0.0.1:80",
        script,
        load,
        seed: 1,
        driver: "tcp" as const,
      };
      const rest = { intervalMs: 250, logPath: null, implicitCheck: false };
      for (const share of shareOut({ ...request, ...rest }, "tcp")) {
        for (const [field, value] of Object.entries(job)) {
          assert.deepEqual(Reflect.get(share, field), value);
        }
      }
      const described = describedLoad.parse(describeLoad(load, 1));
      assert.deepEqual(Reflect.get(described, name), value);
      assert.match(loadText([{ load: described }]), said ?? /./);
    });
  }

  Deno.test(`${name}: by its flag`, () => {
    const [flag] = Reflect.get(LOAD_OPTIONS, name).flag.flags.split(/[ ,]/);
    const { load } = benchOf("https://localhost:1/", flag, ...text === null ? [] : [text]);
    assert.deepEqual(Reflect.get(load, name), value);
    assert.equal(Reflect.get(benchOf(URL_).load, name), usual);
  });
}

Deno.test("full and resumed handshakes are two values of a factor", () => {
  const load = { connections: 1, tls: { resume: [false, true] } };
  const cells = planCells(parseExperiment(secureExperimentWith(load), "x.yaml"));
  assert.deepEqual(
    cells.map(({ load, parameters }) => [Reflect.get(load, "tls"), parameters]),
    [[undefined, { tls: "full" }], ["resume", { tls: "resume" }]],
  );
});

Deno.test("an option beside what it can't be had with is refused in file, flags and jobs, with both names", async () => {
  const message = "Cannot limit the requests of a connection that has several requests in flight";
  const both = { http2: [false, true], pipeline: 2, requestsPerConnection: 10 };
  assert.deepEqual(wrongLines(experimentWith(both)), [
    `x.yaml:4:66: load.requestsPerConnection: ${message}: leave out requestsPerConnection or pipeline`,
  ]);
  const flags = ["--pipeline", "2", "--requests-per-connection", "10"];
  assert.deepEqual(await toldOf(["bench", URL_, ...flags]), [
    `--requests-per-connection: ${message} (leave out --requests-per-connection or --pipeline)`,
  ]);
  const [{ load }] = planCells(parseExperiment(RIGHT, "x.yaml"));
  const { error } = loadShape.safeParse({ ...load, pipeline: 2, requestsPerConnection: 10 });
  assert.deepEqual(error?.issues.map(({ message }) => message), [message]);
});

Deno.test("the requests of a connection are limited beside its streams over HTTP/2", () => {
  const both = { http2: true, pipeline: 2, requestsPerConnection: 10 };
  const [{ load }] = planCells(parseExperiment(experimentWith(both), "x.yaml"));
  assert.deepEqual(loadShape.parse(load), load);
  const flags = ["--http2", "--pipeline", "2", "--requests-per-connection", "10"];
  const { load: benched } = benchOf(URL_, ...flags);
  assert.equal(benched.requestsPerConnection, 10);
});

Deno.test("TLS sessions are resumed where there is TLS alone", async () => {
  const load = { tls: { resume: [false, true] } };
  assert.deepEqual(wrongLines(experimentWith(load)), [
    "x.yaml:4:8: load.tls: Cannot resume TLS sessions of api, which is reached without TLS: leave out tls, " +
    "or give the scenario targets whose url is https",
  ]);
  assert.deepEqual(wrongLines(experimentWith({ tls: { resume: false } })), []);
  assert.deepEqual(wrongLines(secureExperimentWith(load)), []);
  assert.deepEqual(await toldOf(["bench", "http://localhost:1/", "--tls", "resume"]), [
    "--tls: Cannot resume TLS sessions without TLS: the URL is not https (leave out tls, or write https:// in the URL)",
  ]);
});

Deno.test("a rule that ends a load says what is hopeless", async () => {
  const fix =
    'write a rule about a latency percentile, success or errors, such as "errors > 5%" or "p99 > 5s"';
  assert.deepEqual(
    wrongLines(experimentWith({ abortOn: ["p99 < 5s", "p99(ttfe) > 5s", "rate > 5/s"] })),
    [
      `x.yaml:4:8: load.abortOn: Cannot end a load by "p99 < 5s": ${fix}`,
      `x.yaml:4:8: load.abortOn: Cannot end a load by "p99(ttfe) > 5s": ${fix}`,
      `x.yaml:4:8: load.abortOn: Cannot end a load by "rate > 5/s": ${fix}`,
    ],
  );
  assert.deepEqual(await toldOf(["bench", URL_, "--abort-on", "p99 < 5s"]), [
    `--abort-on: Cannot end a load by "p99 < 5s": ${fix}`,
  ]);
});

Deno.test("a search for a capacity ends its trials by itself", async () => {
  const capacity = { capacity: { within: ["p99 < 5ms"] }, abortOn: ["errors > 5%"] };
  assert.match(
    wrongLines(experimentWith(capacity))[0],
    /abortOn.* a search ends hopeless trials/,
  );
  const args = ["capacity", URL_, "--within", "p99 < 5ms", "--abort-on", "errors > 5%"];
  assert.match((await toldOf(args))[0], /^--abort-on: Cannot understand this option/);
});
