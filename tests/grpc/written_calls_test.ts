/** Calls of gRPC in an experiment file: what can't stand beside them, and what they can't be part of. */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { readProtoFile } from "../../base/grpc/proto_file.ts";
import { NO_FILES } from "../../base/files.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { planBlocks } from "../../scenarios/plan/plan.ts";

const PROTO = `syntax = "proto3"; package p; message M { string text = 1; }
service S { rpc One(M) returns (M); rpc Sum(stream M) returns (M); rpc Many(M) returns (stream M); }`;
const FILES = { ...NO_FILES, proto: (path: string) => readProtoFile(path, () => PROTO) };
const ONE = { grpc: "p.S/One", proto: "p.proto" };
const url = "http://127.0.0.1:1";
const FILE = {
  ...{ name: "x", targets: { a: { url }, b: { url: "http://127.0.0.1:2" } } },
  load: { connections: 1, duration: "1s" },
};

/** A line each, with its place. */
function problemsOf(scenario: object, more: object = {}): readonly string[] {
  try {
    const file = { ...FILE, scenarios: { s: scenario }, ...more };
    planBlocks(parseExperiment(JSON.stringify(file), "x.json", { files: FILES }), { seed: 1 });
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.lines;
  }
}

const PROBLEMS: readonly (readonly [scenario: object, expected: RegExp])[] = [
  [{ ...ONE, reconnect: true }, /s\.reconnect: Cannot use reconnect beside grpc/],
  [{ ...ONE, websocket: "/" }, /s\.websocket: Cannot use websocket beside grpc/],
  [{ ...ONE, send: { text: "a" } }, /s\.send: Cannot use send beside grpc/],
  [{ ...ONE, subprotocol: "a" }, /s\.subprotocol: Cannot use subprotocol beside grpc/],
  [{ ...ONE, deflate: true }, /s\.deflate: Cannot use deflate beside grpc/],
  [{ ...ONE, expect: "echo" }, /s\.expect.* Cannot expect echo.*: only WebSockets have them/],
  [
    { ...ONE, expect: { message: "push" } },
    /s\.expect.* Cannot expect echo.*: only WebSockets have them/,
  ],
  [{ ...ONE, message: { text: "{{ nam }}" } }, /s\.message: Cannot fill in \{\{ nam \}\}/],
  [
    { ...ONE, grpc: "p.S/Sum", messages: [{ text: "{{ nam }}" }] },
    /s\.messages: Cannot fill in \{\{ nam \}\}/,
  ],
  [{ flow: [{ ...ONE, message: { text: "{{ nam }}" } }] }, /flow\.0\.message: Cannot fill in/],
  [{ mix: [ONE, { websocket: "/", hold: "1s" }] }, /mix\.1.* Cannot open a WebSocket beside/],
  [{ flow: [{ websocket: "/", hold: "1s" }, ONE] }, /flow\.0.* Cannot open a WebSocket beside/],
  [{ page: "/", expect: { grpcStatus: "OK" } }, /s\.expect\.grpcStatus/],
  [{ page: "/", expect: { message: "echo" } }, /s\.expect\.message/],
];

Deno.test("what a call cannot have, or cannot stand beside, is said at its place", () => {
  for (const [scenario, expected] of PROBLEMS) {
    const found = problemsOf(scenario);
    assert.ok(found.some((one) => expected.test(one)), `${expected}: ${JSON.stringify(found)}`);
  }
  const values = { nam: { pick: ["a"] } };
  assert.deepEqual(problemsOf({ ...ONE, message: { text: "{{ nam }}" }, values }), []);
});

Deno.test("a method that takes one message is sent a list that holds exactly one", () => {
  assert.deepEqual(problemsOf({ ...ONE, messages: [{ text: "a" }] }), []);
  const problemOf = (messages: readonly object[]): string =>
    problemsOf({ ...ONE, messages }).join();
  assert.match(problemOf([]), /s\.messages: Cannot send 0 messages to a method that takes one/);
  assert.match(
    problemOf([{}, {}]),
    /s\.messages: Cannot send 2 messages to a method that takes one/,
  );
  assert.match(problemOf([{ txt: "a" }]), /s\.messages\.0\.txt: /);
});

Deno.test("calls are measured in slices where a file says that one message responds", () => {
  assert.deepEqual(problemsOf(ONE, { order: "slices" }), []);
  const problemOf = (scenario: object): string => problemsOf(scenario, { order: "slices" }).join();
  assert.match(problemOf({ ...ONE, grpc: "p.S/Many" }), /are streams, which a slice would cut/);
  assert.match(problemOf({ grpc: "p.S/One" }), /order: .*name the \.proto file of the method/);
  assert.deepEqual(problemsOf({ get: "/" }, { order: "slices" }), []);
});
