/** Calls of gRPC in streams, searches, comparisons and experiments. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { capacityResult } from "../../runner/result/capacity.ts";
import { measurement, results } from "../../runner/result/result.ts";
import { serving } from "../conformance/calls.ts";
import { needing } from "../needs.ts";
import { calibratedCache } from "./caches.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";

const PROTO = join(import.meta.dirname ?? "", "../conformance/echo.proto");

const withNode = needing("node");

withNode.test("bench reads gRPC streams, of one side and of both", async () => {
  await using server = await serving();
  const bench = ["bench", `http://127.0.0.1:${server.endpoint.port}`, "-n", "6", "-c", "2"];
  for (const driver of ["epoll", "tcp"]) {
    const flags = ["--proto", PROTO, "--driver", driver, "--json", "-"];
    const many = ["--grpc", "conformance.Echo/Many", "--message", '{ "n": 3 }'];
    const { stdout } = await exits(0, [...bench, ...flags, ...many]);
    const { streams, grpc } = measurement.parse(JSON.parse(stdout));
    assert.deepEqual([streams?.events, streams?.whole, grpc?.status], [18, 6, { OK: 6 }], driver);
    const messages = ["--message", '{ "n": 1 }', "--message", '{ "n": 2 }'];
    const chat = await exits(0, [
      ...bench,
      ...flags,
      "--grpc",
      "conformance.Echo/Chat",
      ...messages,
    ]);
    assert.equal(measurement.parse(JSON.parse(chat.stdout)).streams?.events, 12, driver);
  }
  const { received, sent } = await server.end();
  assert.deepEqual([received, sent], [2 * (6 + 12), 2 * (18 + 12)]);
});

withNode.test("capacity finds a rate of calls, and refuses times of messages where there are none", async () => {
  await using server = await serving();
  const call = ["--grpc", "conformance.Echo/One", "--message", '{ "text": "ada" }'];
  const search = ["capacity", `http://127.0.0.1:${server.endpoint.port}`, ...call, "-c", "2"];
  const short = ["--trial", "1s,2s", "--width", "50%", "--budget", "8s"];
  const { code, stdout, stderr } = await plateau([
    ...[...search, ...short, "--within", "p99 < 2s", "--within", "success >= 99%"],
    ...["--proto", PROTO, "--json", "-"],
  ]);
  assert.ok(code === 0 || code === 5, stderr); // a busy machine may decide nothing
  const { trials, load } = capacityResult.parse(JSON.parse(stdout));
  // A busy machine does not send all that is due; all that it sent got its response.
  for (const { success, droppedRatio = 0, wrong, errors } of trials) {
    assert.deepEqual({ wrong, errors }, { wrong: undefined, errors: undefined });
    assert.ok(Math.abs(success - (1 - droppedRatio)) < 1e-9, `${success} and ${droppedRatio}`);
  }
  const completed = trials.reduce((sum, one) => sum + one.completedPerSec * one.elapsedS, 0);
  assert.equal(load.http2, true);
  const times = await exits(2, [...search, ...short, "--within", "p99(ttfe) < 1s"]);
  assert.match(
    times.stderr,
    /Cannot search for a capacity by times of messages: no response is a stream/,
  );
  const { calls } = await server.end();
  // On a busy machine the budget may end before the first trial, but not before the closed loop that comes first.
  assert.ok(calls > 1 && calls >= Math.round(completed), `${calls} calls of ${completed}`);
});

withNode.test("versus compares two gRPC servers in turns", async () => {
  using folder = emptyFolder();
  await using base = await serving();
  await using next = await serving();
  const servers = [base, next];
  const urls = servers.map(({ endpoint }) => `http://127.0.0.1:${endpoint.port}`);
  const call = [
    "--grpc",
    "conformance.Echo/One",
    "--proto",
    PROTO,
    "--message",
    '{ "text": "ada" }',
  ];
  const json = join(folder.path, "versus.json");
  const { code, stderr } = await plateau(
    ["versus", ...urls, ...call, "-c", "2", "-d", "800ms", "--csv", "-", "--json", json],
    { env: calibratedCache(folder.path) },
  );
  assert.ok([0, 1, 5].includes(code), stderr); // whichever is faster on a busy machine
  const { cells: [{ figures }] } = JSON.parse(readFileSync(json, "utf8"));
  assert.ok(figures.rate.base > 0 && figures.rate.next > 0);
  for (const { end } of servers) assert.ok((await end()).calls > 10);
});

withNode.test("an experiment calls methods in scenarios, mixes and flows", async () => {
  await using server = await serving();
  using folder = emptyFolder();
  const file = join(folder.path, "mine.yaml");
  const one = `grpc: conformance.Echo/One, proto: ${PROTO}`;
  Deno.writeTextFileSync(
    file,
    `name: mine
targets: { app: { url: "http://127.0.0.1:${server.endpoint.port}" } }
scenarios:
  one: { ${one}, message: { text: "{{ word }}" }, values: { word: { pick: [a, b] } } }
  both:
    mix:
      - { ${one}, name: one }
      - { grpc: conformance.Echo/Many, proto: ${PROTO}, message: { n: 2 } }
  flow:
    load: { connections: 2, duration: 2s }
    flow:
      - { ${one}, message: { n: 17 }, capture: { n: { json: n } } }
      - { ${one}, name: again, message: { n: "{{ n }}" }, expect: { json: { n: "17" } } }
load: { connections: 2, requests: 100 }
repeat: 1
`,
  );
  const out = join(folder.path, "out");
  const { code, stdout, stderr } = await plateau(["run", file, "--out", out]);
  assert.ok(code === 0 || code === 5, stdout + stderr); // of a busy machine no run decides anything
  const { runs } = results.parse(JSON.parse(readFileSync(join(out, "results.json"), "utf8")));
  assert.equal(runs.length, 3);
  for (const { grpc, checks, requests, load } of runs) {
    assert.deepEqual([checks.failed, load.http2], [0, true]);
    assert.ok(requests.completed > 0);
    assert.deepEqual(grpc, { status: { OK: requests.completed }, noStatus: 0 });
  }
  const steps = runs.flatMap(({ steps = [] }) => steps.map(({ name }) => name));
  for (const name of ["one", "again", "conformance.Echo/Many"]) {
    assert.ok(steps.includes(name), name);
  }
  assert.match(readFileSync(join(out, "report.html"), "utf8"), /Statuses of flow/);
});
