/** Calls of gRPC made ready for a load: what they are sent as, and what an agent of a fleet is given. */
import assert from "node:assert/strict";
import { AS_INPUT } from "../../base/explain.ts";
import { readProtoFile } from "../../base/grpc/proto_file.ts";
import { bodyOctets } from "../../base/http/body.ts";
import { scriptShape } from "../../runner/fleet/protocol/job_schema.ts";
import { sentScript } from "../../runner/fleet/protocol/sent_script.ts";
import { readyCalls } from "../../runner/grpc/ready_calls.ts";
import type { ScriptSpec } from "../../runner/load/engine/job.ts";
import { shareOut } from "../../runner/measure/share.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { requestScenario } from "../../scenarios/request/request_scenario.ts";
import { NO_FILES } from "../../base/files.ts";
import { requestsOf, type Script, scriptOf } from "../../scenarios/request/script.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";

const PROTO = `syntax = "proto3"; package p; message M { string text = 1; int32 n = 2; }
service S { rpc One(M) returns (M); rpc Many(M) returns (stream M); rpc Sum(stream M) returns (M); }`;
const FILES = {
  ...NO_FILES,
  proto: (path: string) => readProtoFile(path, () => PROTO),
  rows: () => [{ n: "1" }, { n: "2" }],
};

const reflect = () => assert.fail("the types are those of a file");

async function ready(scenario: Record<string, unknown>, timeoutMs = 5_000): Promise<Script> {
  const parsed = scenarioSpecWith(FILES).parse(scenario, AS_INPUT);
  return await readyCalls(scriptOf(parsed, 1), { timeoutMs, reflect });
}

const one = { grpc: "p.S/One", proto: "p.proto" };

Deno.test("a fixed message is octets before the load, with the time-out as its deadline", async () => {
  const script = await ready({ ...one, message: { text: "ada" }, headers: { "X-User": "1" } });
  const [{ wire, call }] = requestsOf(script);
  assert.deepEqual(
    [...bodyOctets(wire.body)],
    [0, 0, 0, 0, 5, 0x0a, 3, 0x61, 0x64, 0x61],
  );
  assert.deepEqual([wire.method, wire.path], ["POST", "/p.S/One"]);
  assert.deepEqual(wire.headers, {
    "grpc-timeout": "5000m",
    "content-type": "application/grpc",
    te: "trailers",
    "X-User": "1",
  });
  const known = { isUnary: true, deadlineMs: 5_000 };
  assert.deepEqual(call, { method: "p.S/One", ready: known }, "nothing is decoded");
});

Deno.test("a deadline has at most eight digits, is left as it is given, and is not that of a stream", async () => {
  const deadline = async (scenario: Record<string, unknown>, timeoutMs?: number) =>
    Object.entries(requestsOf(await ready(scenario, timeoutMs))[0].wire.headers)
      .find(([name]) => name.toLowerCase() === "grpc-timeout")?.[1];
  assert.equal(await deadline(one, 200_000_000), "200000S");
  assert.equal(await deadline({ ...one, headers: { "Grpc-Timeout": "1S" } }), "1S");
  assert.equal(await deadline({ ...one, grpc: "p.S/Many" }), undefined);
  const known = async (scenario: Record<string, unknown>) =>
    requestsOf(await ready(scenario))[0].call?.ready?.deadlineMs;
  for (const [text, ms] of [["2S", 2_000], ["200m", 200], ["200000u", 200], ["1M", 60_000]]) {
    const headers = { "Grpc-Timeout": text };
    assert.equal(await known({ ...one, headers }), ms);
    assert.equal(await known({ ...one, grpc: "p.S/Many", headers }), ms);
  }
  assert.equal(await known({ ...one, grpc: "p.S/Many" }), undefined);
});

Deno.test("values are drawn before the load, and each message is encoded", async () => {
  const values = { n: { pick: [1] }, text: { pick: ['a"b'] } };
  const script = await ready({ ...one, message: { n: "{{ n }}", text: "{{ text }}" }, values });
  const bodies = requestsOf(script).map(({ wire }) => [...bodyOctets(wire.body)].slice(5).join());
  assert.deepEqual([...new Set(bodies)], ["16,1,10,3,97,34,98"]);
  const wrong = ready({ ...one, message: { n: "{{ n }}" }, values: { n: { pick: ["x"] } } });
  await assert.rejects(wrong, /Cannot send n: it must be a whole number \(int32\), not "x"/);
});

Deno.test("a message with a row for each user keeps its type, because users send different values", async () => {
  const values = { n: { csv: "n.csv", column: "n", order: "unique" } };
  for (const message of [{ n: "{{ n }}" }, { text: "{{ n }}" }]) {
    const single = { ...one, message, values };
    for (const scenario of [single, { mix: [{ ...one, message }, one], values }]) {
      const spec = scriptSpecOf(await ready(scenario));
      assert.ok(spec.kind === "flow");
      const [[step]] = spec.journeys;
      assert.ok(step.kind === "request");
      assert.equal(step.input?.name, "p.M");
    }
  }
});

Deno.test("an agent gets calls as plain data, with the types that it needs alone", async () => {
  const script = await ready({
    flow: [
      { ...one, message: { n: 1 }, capture: { n: { json: "n" } } },
      { ...one, message: { n: "{{ n }}" }, compress: "gzip" },
      { ...one, grpc: "p.S/Many", message: {}, hold: "1s", token: { json: "text" } },
      { ...one, grpc: "p.S/Sum", messages: [{ n: 1 }, { n: 2 }] },
    ],
  });
  const sent = JSON.parse(JSON.stringify(sentScript(script)));
  assert.deepEqual(scriptShape.parse(sent), script);
  const needs = requestsOf(script).map(({ call }) => Object.keys(call?.ready ?? {}));
  assert.deepEqual(needs, [
    ["isUnary", "deadlineMs", "output"],
    ["isUnary", "deadlineMs", "input"],
    ["isUnary", "output"],
    ["isUnary", "deadlineMs"],
  ]);
});

Deno.test("an agent gets the types of a call once, however many variants its values make", async () => {
  const jobOf = async (most: number): Promise<string> => {
    const values = { n: { from: 1, to: most } };
    const scenario = { ...one, message: { n: "{{ n }}" }, expect: { json: { n: 1 } }, values };
    const script = await ready(scenario);
    const sent = JSON.stringify(sentScript(script));
    assert.ok(requestsOf(script).length >= most);
    assert.deepEqual(scriptShape.parse(JSON.parse(sent)), script);
    return sent;
  };
  const typesIn = (job: string): number => job.split('"p.M":').length - 1;
  assert.deepEqual([await jobOf(2), await jobOf(50)].map(typesIn), [1, 1]);
});

Deno.test("a job whose calls name types that it does not have is refused", async () => {
  const script = await ready({ ...one, expect: { json: { n: 1 } } });
  const { types: _, ...without } = sentScript(script);
  assert.throws(() => scriptShape.parse(without), /whose types are not in the job/);
});

Deno.test("what the kind of a method excludes is refused", async () => {
  const many = { ...one, grpc: "p.S/Many" };
  await assert.rejects(
    ready({ flow: [{ ...many, capture: { a: { json: "n" } } }] }),
    /Cannot capture a value from a stream/,
  );
  await assert.rejects(ready({ ...one, hold: "1s" }), /Cannot use hold or token/);
});

/** What a worker is given for a script. */
function scriptSpecOf(script: Script): ScriptSpec {
  const [{ script: spec }] = shareOut({
    script,
    load: loadOf({ connections: 1, duration: 1_000, timeout: 5_000, keepAlive: true, http2: true }),
    origin: "http://localhost",
    seed: 1,
    driver: "tcp",
    intervalMs: 250,
    logPath: null,
    implicitCheck: true,
  }, "tcp");
  return spec;
}

Deno.test("what looks like a name is text where no value can come, as bench has it", async () => {
  const written = { ...one, message: { text: "{{ n }}" } };
  const script = scriptOf(requestScenario(FILES).parse(written, AS_INPUT), 1);
  const spec = scriptSpecOf(await readyCalls(script, { timeoutMs: 1, reflect }));
  assert.ok(spec.kind === "requests");
  assert.ok(new TextDecoder().decode(spec.requests[0].bytes).endsWith("\n\u0007{{ n }}"));
});

Deno.test("a step that looks into its message is read as itself, and ends its journey at a wrong status", async () => {
  const capture = (from: object) => ({ ...one, capture: { a: from } });
  const script = await ready({
    flow: [capture({ header: "x" }), capture({ json: "n" }), {
      ...one,
      expect: { grpcStatus: "OK" },
    }],
  });
  const spec = scriptSpecOf(script);
  assert.ok(spec.kind === "flow");
  const steps = spec.journeys[0].filter((step) => step.kind === "request");
  assert.deepEqual(steps.map(({ stream }) => stream?.call?.output !== undefined), [
    false,
    true,
    false,
  ]);
  assert.deepEqual(steps.map(({ strict }) => strict), [false, false, true]);
});
