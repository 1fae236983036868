/** Calls of gRPC to servers of grpc-js and grpcio, and over TLS. */
import assert from "node:assert/strict";
import { certificates } from "../certificates.ts";
import { needing } from "../needs.ts";
import { checkResponses } from "../../runner/experiment/preflight.ts";
import { testCalls } from "./call_suite.ts";
import { called, scriptNamed, serving } from "./calls.ts";
import { certificateFiles } from "./programs.ts";
import { DRIVER_NAMES } from "./ways.ts";

const withNode = needing("node");
const withNodeAndOpenssl = needing("node", "openssl");

testCalls("grpc-js");
testCalls("grpcio");

withNodeAndOpenssl.test("calls go over TLS, where ALPN agrees on HTTP/2", async () => {
  await using server = await serving("grpc-js", ...certificateFiles());
  const { endpoint, end } = server;
  const caCerts = [certificates().authority];
  const tls = { serverName: "localhost", insecure: false, caCerts, alpn: "h2" as const };
  const secure = { endpoint: { ...endpoint, tls } };
  for (const driver of DRIVER_NAMES) {
    const scenario = { grpc: "conformance.Echo/Many", message: { n: 2 } };
    const { totals, statuses } = await called(driver, secure, scenario, { requests: 4 });
    assert.deepEqual([totals.checksPassed, statuses], [4, { OK: 4 }]);
  }
  assert.equal((await end()).sent, 2 * 8);
});

withNode.test("a flow brings a value of one message into the next, which is encoded then", async () => {
  await using server = await serving();
  const one = { grpc: "conformance.Echo/One", proto: "echo.proto" };
  const { totals, statuses } = await called(DRIVER_NAMES[0], server, {
    flow: [
      { ...one, message: { text: "login", n: "{{ n }}" }, capture: { id: { json: "n" } } },
      { ...one, message: { n: "{{ id }}" }, expect: { json: { n: "17" } } },
      { ...one, message: { n: "{{ word }}" } },
    ],
    values: { n: { pick: [17] }, word: { pick: ["no number"] } },
  }, { requests: 2 });
  assert.deepEqual(statuses, { OK: 4 });
  assert.deepEqual([totals.completed, totals.checksPassed], [4, 4]);
  assert.deepEqual([...totals.reasons.keys()], [
    'Cannot send n: it must be a whole number (int64), not "no number"',
  ]);
  assert.equal((await server.end()).received, 4);
});

withNode.test("a preflight waits for the head of a stream alone, which may have no end", async () => {
  await using server = await serving();
  const script = scriptNamed({ grpc: "conformance.Echo/Many", message: { text: "endless" } });
  await checkResponses({
    ...{ target: "a", origin: `http://127.0.0.1:${server.endpoint.port}`, http2: true, script },
    timeoutMs: 2_000,
    signal: new AbortController().signal,
  });
  assert.equal((await server.end()).calls, 1);
});
