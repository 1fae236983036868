/** Calls of gRPC on the command line, and what is told of wrong ones. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { measurement } from "../../runner/result/result.ts";
import { serving } from "../conformance/calls.ts";
import { needing } from "../needs.ts";
import { emptyFolder, exits } from "./plateau.ts";

const PROTO = join(import.meta.dirname ?? "", "../conformance/echo.proto");

const withNode = needing("node");

withNode.test("bench calls a method, by types of a file or of the server, and counts its statuses", async () => {
  await using server = await serving();
  const url = `http://127.0.0.1:${server.endpoint.port}`;
  const call = [
    "bench",
    url,
    "--grpc",
    "conformance.Echo/One",
    "-n",
    "20",
    "-c",
    "2",
    "--json",
    "-",
  ];
  const sent = ["--message", '{ "text": "ada" }', "-H", "x-user: ada"];
  const { stdout } = await exits(0, [...call, ...sent, "--proto", PROTO]);
  const { grpc, checks, load, url: shown } = measurement.parse(JSON.parse(stdout));
  assert.deepEqual(grpc, { status: { OK: 20 }, noStatus: 0 });
  assert.deepEqual([checks.passed, load.http2], [20, true]);
  assert.equal(shown, `${url}/conformance.Echo/One`);
  const wrong = await exits(1, [...call, "--message", '{ "text": "fail" }']);
  assert.deepEqual(measurement.parse(JSON.parse(wrong.stdout)).grpc?.status, { NOT_FOUND: 20 });
  const many = ["--message", '{ "n": 1 }', "--message", '{ "n": 2 }', "--proto", PROTO];
  const sum = await exits(0, [
    ...call.with(3, "conformance.Echo/Sum"),
    ...many,
    "--compress",
    "gzip",
  ]);
  assert.deepEqual(measurement.parse(JSON.parse(sum.stdout)).grpc?.status, { OK: 20 });
  const { metadata, received } = await server.end();
  assert.equal(metadata, "ada");
  assert.equal(received, 20 + 20 + 40);
});

Deno.test("a call is checked before anything is sent, at its place", async () => {
  const call = ["bench", "http://127.0.0.1:1", "--grpc", "conformance.Echo/One"];
  const cases: readonly (readonly [flags: string[], message: RegExp])[] = [
    [["--proto", PROTO, "--message", '{ "txt": 1 }'], /--message: .*txt.*did you mean "text"/],
    [["--proto", PROTO, "--message", "{"], /--message: Cannot read this as JSON/],
    [["--proto", "no.proto"], /--proto: Cannot read no.proto/],
    [["--proto", PROTO, "--message", "{}", "--message", "{}"], /--message: .*takes one/],
    [["--body", "x", "--stream", "events"], /--body.*--stream/s],
    [["--reconnect", "1s"], /--reconnect: .*only in a stream of events/],
  ];
  for (const [flags, message] of cases) {
    assert.match((await exits(2, [...call, ...flags])).stderr, message);
  }
  const alone = await exits(2, [
    "bench",
    "http://127.0.0.1:1",
    "--message",
    "{}",
    "--proto",
    PROTO,
  ]);
  assert.match(alone.stderr, /--proto.*--grpc/s);

  using folder = emptyFolder();
  const file = join(folder.path, "mine.yaml");
  const one = `grpc: conformance.Echo/One, proto: ${PROTO}`;
  const wrong: readonly (readonly [scenario: string, message: RegExp])[] = [
    [`${one}, message: { n: 1.5 }`, /message.*whole number \(int64\), not 1.5/],
    [`grpc: conformance.Echo/Non, proto: ${PROTO}`, /Cannot find the method Non/],
    ["grpc: Echo", /package.Service\/Method/],
    [`${one}, get: /a`, /get beside grpc/],
    [`${one}, load: { http2: false }`, /gRPC over HTTP\/1.1/],
    [`${one}, load: { keepAlive: false }`, /a new connection|every request over HTTP\/2/],
    ["get: /, message: {}", /message without a call/],
    [`${one}, follow: 1`, /redirects of gRPC calls/],
    [`${one}, expect: { status: 200 }`, /write grpcStatus/],
  ];
  const scenarios = wrong.map(([scenario], at) => `  s${at}: { ${scenario} }\n`).join("");
  const targets = 'targets: { a: { url: "http://127.0.0.1:1" } }';
  Deno.writeTextFileSync(file, `name: mine\n${targets}\nscenarios:\n${scenarios}`);
  const { stderr } = await exits(2, ["check", file]);
  for (const [at, [, message]] of wrong.entries()) {
    const lines = stderr.split("\n").filter((line) =>
      line.includes(`s${at}.`) || line.includes(`:${at + 4}:`)
    );
    assert.ok(lines.some((line) => message.test(line)), `${message}: ${stderr}`);
  }
});
