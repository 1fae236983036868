/** Before a load the answers are proved over the same connections: TLS, unix sockets, and in time. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkResponses, type PreflightRequest } from "../../runner/experiment/preflight.ts";
import { TargetError } from "../../base/errors.ts";
import { secrets } from "../../base/secrets.ts";
import type { Script } from "../../scenarios/request/script.ts";
import { certificates } from "../certificates.ts";
import { testWith } from "../needs.ts";

const wire = { method: "GET", path: "/", headers: {}, body: null };
const SCRIPT: Script = {
  kind: "requests",
  stepNames: [],
  requests: [{
    kind: "request",
    step: 0,
    wire,
    expect: { body: "right" },
    captures: [],
    follow: null,
  }],
  sequence: [0],
};

function proveAt(origin: string, changes: Partial<PreflightRequest> = {}): Promise<void> {
  const { signal } = new AbortController();
  return checkResponses({
    target: "a",
    origin,
    script: SCRIPT,
    timeoutMs: 20_000,
    signal,
    ...changes,
  });
}

function answer(): Response {
  return new Response("right");
}

testWith(["openssl"], "prove asks over TLS, and says why it cannot", async () => {
  const { signed, authority } = certificates();
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve({ ...quiet, ...signed }, answer);
  const origin = `https://localhost:${server.addr.port}`;
  await proveAt(origin, { caCerts: [authority] });
  await proveAt(origin, { insecure: true });
  await assert.rejects(proveAt(origin), (error) => {
    assert.ok(error instanceof TargetError);
    assert.match(
      error.message,
      /GET \/ got no response: the certificate is not signed by .* \(cacert names an authority/,
    );
    return true;
  });
});

Deno.test("prove asks over a unix socket", async () => {
  const folder = Deno.makeTempDirSync();
  const path = join(folder, "socket");
  const server = Deno.serve({ path, onListen: () => {} }, answer);
  await proveAt("http://a", { unixPath: path });
  await server.shutdown();
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("prove says that nobody serves", async () => {
  await assert.rejects(proveAt("http://127.0.0.1:1"), (error) => {
    assert.ok(error instanceof TargetError);
    assert.match(error.message, /^Cannot measure target a: GET \/ got no response: .*refused/);
    return true;
  });
});

Deno.test("prove ends when the user interrupts", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const interruption = new AbortController();
  const { signal } = interruption;
  const origin = `http://127.0.0.1:${listener.addr.port}`;
  const proved = proveAt(origin, { timeoutMs: 60_000, signal });
  using _conn = await listener.accept();
  interruption.abort(new Error("interrupted"));
  await assert.rejects(proved, /got no response: interrupted$/);
  await assert.rejects(proveAt(origin, { signal }), /got no response: interrupted$/);
});

Deno.test("prove gives up in time, and hangs up", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const proved = proveAt(`http://127.0.0.1:${listener.addr.port}`, { timeoutMs: 50 });
  await assert.rejects(proved, /GET \/ got no response: none within 50 ms/);
  using conn = await accepted;
  // The time may have been over before it had asked.
  while (await conn.read(new Uint8Array(1_000)) !== null);
});

Deno.test("prove says where a value was not looked for", async () => {
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(quiet, () => new Response(" ".repeat(300_000) + "id=7"));
  const capture = { as: "id", from: { kind: "pattern", source: "id=(.)" } } as const;
  const request = { kind: "request", step: 0, wire, expect: {}, captures: [capture] } as const;
  const script: Script = {
    kind: "requests",
    stepNames: [],
    requests: [{ ...request, follow: null }],
    sequence: [0],
  };
  await assert.rejects(proveAt(`http://127.0.0.1:${server.addr.port}`, { script }), (error) => {
    assert.ok(error instanceof TargetError);
    assert.match(
      error.message,
      /got a response without the value for "id": a pattern searches only the first 256 kB of a/,
    );
    return true;
  });
});

/** A flow of so many requests. */
function flowOf(steps: number): Script {
  const step = { kind: "request", step: 0, wire, expect: {}, captures: [], follow: null } as const;
  return { kind: "flow", stepNames: [], steps: Array(steps).fill(step), users: [{}], cookies: {} };
}

function setting(cookies: () => readonly string[]): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    const response = new Response("right");
    for (const cookie of cookies()) response.headers.append("set-cookie", cookie);
    return response;
  });
}

Deno.test("prove keeps cookies as long as a head may be", async () => {
  const cookie = "0123456789".repeat(6_000);
  await using server = setting(() => [`sid=${cookie}`]);
  await proveAt(`http://127.0.0.1:${server.addr.port}`, { script: flowOf(2) });
  assert.equal(secrets.text(`sid=${cookie}`), "sid=[secret]");
});

Deno.test("prove refuses a server that sets more cookies than can be kept secret", async () => {
  let set = 0;
  await using server = setting(() =>
    Array.from({ length: 1_000 }, () => `c${set % 1_000}=cookie-number-${set++}`)
  );
  await assert.rejects(proveAt(`http://127.0.0.1:${server.addr.port}`, { script: flowOf(20) }), {
    name: "TargetError",
    message: "Cannot measure target a: GET / has too many secrets: a preflight has " +
      "11,000 secrets found in responses, such as cookies; the limit is 10,000",
  });
});

Deno.test("prove refuses a server whose cookies are too long together to be kept secret", async () => {
  let set = 0;
  await using server = setting(() => [`c=${`${set++}`.padStart(60_000, "x")}`]);
  await assert.rejects(
    proveAt(`http://127.0.0.1:${server.addr.port}`, { script: flowOf(100) }),
    /too many secrets: the text of all secrets of a preflight or a job has 4,020,000 characters; the limit is 4,000,000/,
  );
});
