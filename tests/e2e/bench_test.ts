import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Measurement, measurement } from "../../runner/result/result.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { highestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import { needing, testWith } from "../needs.ts";
import { bench, benchEnding } from "./measured.ts";
import { emptyFolder, exits, Plateau, plateau, serve } from "./plateau.ts";
import { OWN_HOST } from "../listening.ts";
import { startRecorder } from "./recorder.ts";
import { startWitness } from "./witness.ts";

const withNode = needing("node");

const QUIET = { port: 0, hostname: "127.0.0.1", onListen: () => {} };

/** Longer than any load here, and than any pause of the machine. */
const LONG_MS = 60_000;

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** What holds for every measurement, whatever happened. */
function assertConserved({ requests, status, errors, latency, checks }: Measurement): void {
  const { due, completed, failed, unfinished, dropped } = requests;
  assert.equal(due, completed + failed + unfinished + dropped);
  assert.equal(sum(status), completed);
  assert.equal(sum(errors), failed);
  assert.ok(checks.passed + checks.failed <= completed);
  assert.ok(latency.count >= completed && latency.count <= due);
}

Deno.test("bench of a built-in app prints one measurement that parses and adds up", async () => {
  await using api = await serve("api");
  const measured = await bench(`${api.origin}/static`, "-c", "10", "-d", "500ms");
  assertConserved(measured);
  assert.ok(measured.requests.completed > 100, `${measured.requests.completed} completed`);
  assert.deepEqual(Object.keys(measured.status), ["200"]);
  assert.equal(measured.requests.failed, 0);
  assert.equal(measured.elapsedS, 0.5);
  const inTime = measured.requests.completed - (measured.drain?.completed ?? 0);
  assert.equal(measured.rate, inTime / measured.elapsedS);
  const { min, max, percentiles } = measured.latency;
  assert.ok(min <= percentiles["50"] && percentiles["50"] <= percentiles["99"]);
  assert.ok(percentiles["99.99"] <= max);
});

withNode.test("bench --http2 says that a server takes fewer streams, and that the rest waited", async () => {
  const server = fileURLToPath(new URL("../conformance/http2_server.mjs", import.meta.url));
  const child = new Deno.Command("node", {
    args: [server, "few"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await lines.read();
  const url = `http://127.0.0.1:${value.trim()}/`;
  const args = ["bench", url, "--http2", "-c", "1", "--pipeline", "6", "-n", "60", "--json", "-"];
  const { code, stdout, stderr } = await plateau(args);
  await child.stdin.close();
  await lines.cancel();
  await child.status;
  assert.equal(code, 0, stderr);
  const { requests, driverNote } = measurement.parse(JSON.parse(stdout));
  assert.equal(requests.completed, 60);
  assert.match(driverNote ?? "", /allows 2 streams at a time .* asks for 6, so requests waited/);
  assert.ok(stderr.includes(driverNote ?? "none"), stderr);
});

Deno.test("bench -n sends that many requests, no more and no fewer, on any number of connections", async () => {
  for (const [requests, connections] of [[1, 1], [7, 10], [1_000, 3], [1_000, 50]]) {
    await using witness = startWitness();
    const measured = await bench(witness.origin, "-n", `${requests}`, "-c", `${connections}`);
    assertConserved(measured);
    assert.equal(measured.requests.completed, requests);
    assert.equal(measured.requests.due, requests);
    assert.equal(await witness.settledCount(), requests);
  }
});

Deno.test("bench that ends in full flight has counted just what the app saw", async () => {
  await using witness = startWitness();
  const measured = await bench(witness.origin, "-c", "20", "-d", "500ms");
  assertConserved(measured);
  assert.equal(await witness.settledCount(), measured.requests.due);
});

Deno.test("bench leaves a request that is still out five seconds after the deadline in the data, as unfinished", async () => {
  await using witness = startWitness({ delayMs: LONG_MS });
  const { requests, latency, slowest, ...measured } = await benchEnding(
    3,
    witness.origin,
    ...["-c", "3", "-d", "700ms", "-t", "60s"],
  );
  assertConserved({ requests, latency, ...measured });
  assert.equal(requests.unfinished, 3);
  assert.equal(latency.count, 3);
  assert.equal(latency.censored, 3);
  // However late it was sent, from then on to the end of the wait.
  const offMs = slowest?.map(({ dueS, latency }) => Math.abs(dueS * 1_000 + latency - 5_700));
  assert.ok(offMs?.length === 3 && Math.max(...offMs) < 1, `${offMs}`);
});

Deno.test("bench counts requests over their time-out as failed, at their elapsed time", async () => {
  await using witness = startWitness({ delayMs: LONG_MS });
  const measured = await benchEnding(3, witness.origin, "-c", "2", "-n", "4", "-t", "200ms");
  assertConserved(measured);
  assert.equal(measured.errors.timeout, 4);
  assert.equal(measured.latency.count, 4);
  // Two of them, one after the other, are all that happened on a connection.
  const { latency: { min, mean, lowerBounds = [] }, elapsedS, censoredHistogram = "" } = measured;
  // The bucket of 200,000 µs begins before it.
  const atMostUs = highestUsOf(decodeSparse(censoredHistogram).indices[0]);
  const said = `${atMostUs} µs and ${mean} ms in ${elapsedS} s`;
  assert.ok(atMostUs >= 200_000 && 2 * mean <= elapsedS * 1_000, said);
  assert.ok(min >= 199 && min <= mean && lowerBounds.includes("min"), `${min} ms, ${lowerBounds}`);
});

Deno.test("bench counts answers with another status than expected as failed checks", async () => {
  await using witness = startWitness({ status: 503 });
  const { code, stdout } = await plateau(
    ["bench", witness.origin, "-n", "20", "-c", "2", "--expect-status", "200", "--json", "-"],
  );
  const measured = measurement.parse(JSON.parse(stdout));
  assertConserved(measured);
  assert.equal(code, 1);
  assert.deepEqual(measured.status, { "503": 20 });
  assert.deepEqual(measured.checks, { passed: 0, failed: 20 });
});

Deno.test("bench --follow follows redirects, each a step of its own", async () => {
  let came = 0;
  await using server = Deno.serve(QUIET, ({ url }) => {
    if (new URL(url).pathname === "/end") return new Response("end");
    came++;
    return new Response(null, { status: 302, headers: { location: "/end" } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const args = ["--follow", "1", "-c", "2", "-d", "400ms", "--expect-status", "200"];
  const { checks, status, steps = [] } = await bench(`${origin}/from`, ...args);
  const [first, redirected] = steps.map(({ requests }) => requests.completed);
  assert.deepEqual([checks.failed, first], [0, came]);
  assert.ok(redirected > 0 && status["200"] === redirected);
});

Deno.test("bench without keep-alive opens a connection for every request", async () => {
  await using recorder = startRecorder();
  assertConserved(await bench(recorder.origin, "-c", "2", "-n", "50", "--no-keepalive"));
  assert.equal(recorder.connections(), 50);
});

Deno.test("bench with pipelining keeps several requests of a connection in flight", async () => {
  await using api = await serve("api");
  const measured = await bench(`${api.origin}/static`, "-c", "2", "-n", "1000", "--pipeline", "8");
  assertConserved(measured);
  assert.equal(measured.requests.completed, 1_000);
});

Deno.test("bench sends the method, headers and body that it is told", async () => {
  const seen: string[] = [];
  await using server = Deno.serve(QUIET, async (request) => {
    const { method, headers } = request;
    seen.push([method, headers.get("x-a"), headers.get("host"), await request.text()].join(" "));
    return new Response(null, { status: 204 });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  await bench(`http://${host}/`, "-n", "2", "-c", "1", "-m", "PUT", "-H", "x-a: b", "-b", "text");
  assert.deepEqual(seen, Array(2).fill(`PUT b ${host} text`));
});

Deno.test("bench without --json prints the summary for people on standard output", async () => {
  await using api = await serve("api");
  const { stdout } = await exits(0, ["bench", `${api.origin}/static`, "-n", "100"]);
  assert.match(stdout, /requests\/s/i);
  assert.match(stdout, /99(?:\.0+)?\s?%|p99/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(stdout, /\x1b/);
});

for (
  const [by, through, signal] of [
    ["a closed terminal", [], "SIGHUP"],
    ["Ctrl-C under nohup, but by no closed terminal", ["nohup"], "SIGINT"],
  ] as const
) {
  testWith(["linux"], `${by} ends bench in order: what was measured is written`, async () => {
    let count = 0;
    await using witness = startWitness({ onRequest: () => void count++ });
    using folder = emptyFolder();
    const file = join(folder.path, "bench.json");
    const args = ["bench", witness.origin, "-r", "100/s", "-d", "1h", "--json", file];
    await using program = new Plateau(args, { through });
    await program.until("it is loaded", () => count > 0);
    program.kill("SIGHUP");
    const after = count;
    if (signal !== "SIGHUP") {
      await program.until("the load goes on", () => count > after + 100);
      assert.ok(!existsSync(file));
      program.kill(signal);
    }
    await exits(130, program.ended);
    const { requests } = measurement.parse(JSON.parse(readFileSync(file, "utf8")));
    assert.ok(requests.completed > 0);
  });
}

/** Nothing listens there. */
function closedPort(): number {
  using listener = Deno.listen({ hostname: OWN_HOST, port: 0 });
  return listener.addr.port;
}

Deno.test("bench ends as soon as its first connections are refused, with the reason and no table", async () => {
  const url = `http://${OWN_HOST}:${closedPort()}/`;
  const { elapsedS, requests, errors } = await benchEnding(3, url, "-d", "60s");
  assert.ok(elapsedS < 30, `${elapsedS} s`);
  assert.equal(errors.connect, requests.failed);
  const refused = /\n.*: connection refused: nothing listens there: start the server/;
  const cases: [string, RegExp, ...string[]][] = [
    [url, refused],
    [url, refused, "-r", "2000/s"],
    [url.replace("http", "ws"), refused],
    ["http://nobody.invalid/", /\n.*there is no host named nobody\.invalid: correct the name/],
  ];
  for (const [written, why, ...flags] of cases) {
    const { code, stdout, stderr } = await plateau(["bench", written, "-d", "60s", ...flags]);
    assert.deepEqual([code, stdout], [3, ""]);
    assert.ok(stderr.startsWith(`Cannot measure ${written}: `), stderr);
    assert.match(stderr, why);
  }
});

Deno.test("bench does not wait for its first interval to say that nothing listens, or that a name is unknown", async () => {
  for (
    const [host, kind] of [[`${OWN_HOST}:${closedPort()}`, "connect"], ["nobody.invalid", "dns"]]
  ) {
    const args = [`http://${host}/`, "-d", "60s", "--interval", "60s"];
    const { elapsedS, requests, errors } = await benchEnding(3, ...args);
    assert.ok(elapsedS < 30, `${host}: ${elapsedS} s`);
    assert.equal(Reflect.get(errors, kind), requests.failed);
  }
});

Deno.test("bench goes on where its first requests fail on connections that open", async () => {
  const listener = Deno.listen({ hostname: OWN_HOST, port: 0 });
  const serving = hangUpThenServe(listener, 400);
  const { elapsedS, requests } = await bench(
    `http://${OWN_HOST}:${listener.addr.port}/`,
    ...["-d", "1s", "-c", "10"],
  );
  listener.close();
  await serving;
  assert.ok(elapsedS >= 1 && requests.failed > 0 && requests.completed > 0);
});

/** Closes whatever connects within `hangsUpMs` of the first connection, and responds to the rest, once each. */
async function hangUpThenServe(listener: Deno.Listener, hangsUpMs: number): Promise<void> {
  let servesFrom: number | null = null;
  const response = new TextEncoder().encode("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
  for await (const connection of listener) {
    servesFrom ??= performance.now() + hangsUpMs;
    if (performance.now() >= servesFrom) {
      await connection.read(new Uint8Array(1_024)).then(() => connection.write(response))
        .catch(() => {});
    }
    connection.close();
  }
}

Deno.test("bench --abort-on ends a hopeless load, with code 1 and a finding", async () => {
  await using api = await serve("api");
  for (const [path, rule] of [["static", "p50 > 1us"], ["no-such-page", "errors > 5%"]]) {
    const url = `${api.origin}/${path}`;
    const { elapsedS, generator } = await benchEnding(1, url, "-d", "60s", "--abort-on", rule);
    assert.ok(elapsedS < 30, `${elapsedS} s`);
    assert.deepEqual([generator.trust, generator.findings[0].code], ["invalid", "aborted"]);
  }
});

Deno.test("bench --abort-on ends a load on a server that hangs, before any request times out", async () => {
  const listener = Deno.listen({ hostname: OWN_HOST, port: 0 });
  const connections: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) connections.push(connection);
  })();
  const url = `http://${OWN_HOST}:${listener.addr.port}/`;
  for (const load of [["-c", "30"], ["-c", "5", "-r", "1000/s"]]) {
    const { elapsedS, generator, requests } = await benchEnding(
      ...[3, url, ...load, "-d", "60s", "-t", "60s", "--abort-on", "p99 > 200ms"] as const,
    );
    assert.ok(elapsedS < 30, `${elapsedS} s`);
    assert.equal(requests.failed, 0);
    const [{ code, evidence }] = generator.findings;
    assert.equal(code, "aborted");
    assert.ok("waiting" in evidence && Number(evidence.waiting) >= 20, JSON.stringify(evidence));
  }
  listener.close();
  for (const connection of connections) connection.close();
  await accepting;
});

Deno.test("run leaves out a run that its own rule has ended", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "hopeless.yaml");
  Deno.writeTextFileSync(
    file,
    "{ name: hopeless, targets: { api: { app: api } }, scenarios: { s: { get: /static } }, repeat: 1, " +
      'load: { duration: 60s, abortOn: ["p50 > 1us"] } }',
  );
  const { code, stdout } = await plateau(["run", file, "--out", join(folder.path, "out")]);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /its load was ended after \S+ by "p50 > 1us": (\d+) of \1 requests/);
});

Deno.test("bench --wait waits until the server listens, and says when it never does", async () => {
  const port = closedPort();
  const url = `http://${OWN_HOST}:${port}/`;
  const waiting = bench(url, "-n", "5", "-c", "1", "--wait", "60s");
  await new Promise((resolve) => setTimeout(resolve, 500));
  await using _server = Deno.serve(
    { ...QUIET, hostname: OWN_HOST, port },
    () => new Response("ok"),
  );
  assert.equal((await waiting).requests.completed, 5);
  const { code, stderr } = await plateau([
    "bench",
    `http://${OWN_HOST}:${closedPort()}/`,
    "--wait",
    "100ms",
  ]);
  assert.equal(code, 3);
  assert.match(stderr, /Cannot connect within 100ms\n.*connection refused/);
});
