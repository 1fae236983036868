/** Every probe against one proxy, in front of an origin that records what gets through. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { type ServedGateway, serveGateway } from "../../targets/serve_gateway.ts";
import { PROXY_DEFAULTS } from "../targets/fixtures/proxy.ts";
import { DECEPTION, METHODS, POISONING } from "./cache_probes.ts";
import { INJECTION, SMUGGLING } from "./framing_probes.ts";
import { EVIL, type Probe } from "./probe.ts";
import { type RawOrigin, startRawOrigin } from "./raw_origin.ts";

const PROBES = [...SMUGGLING, ...INJECTION, ...METHODS, ...POISONING, ...DECEPTION];

/** After a first answer nothing more comes for so long: then the connection is one that is kept. */
const QUIET_MS = 20;
const PATIENCE_MS = 5_000;

/** All that is answered until the connection is closed, or quiet. */
function sent({ origin }: ServedGateway, text: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  socket.write(text, "latin1");
  let answer = "";
  let timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  return new Promise((resolve) => {
    socket.setEncoding("latin1").on("data", (part) => {
      answer += part;
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), QUIET_MS);
    });
    socket.on("error", () => {}).on("close", () => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

function statusOf(answer: string): number | null {
  const [, status] = /^HTTP\/1\.[01] (\d{3}) /.exec(answer) ?? [];
  return status === undefined ? null : Number(status);
}

function shape(origin: RawOrigin): string[] {
  return origin.recorded.map(({ line }) => line.replace(/ HTTP\/1\.1$/, ""));
}

async function tryProbe(
  probe: Probe,
  at: string,
  proxy: ServedGateway,
  origin: RawOrigin,
): Promise<void> {
  const { status, passed = [], never = EVIL, seen, next, answer } = probe;
  if (answer !== undefined) origin.answers.set(at, answer);
  const answered = await sent(proxy, probe.send.replaceAll("AT", at));
  assert.equal(statusOf(answered), status, answered);
  assert.deepEqual(shape(origin), passed.map((line) => line.replaceAll("AT", at)));
  const got = origin.recorded.map(({ head, body }) => `${head}\r\n\r\n${body}`).join("");
  if (seen === undefined) assert.doesNotMatch(got.replace(/^.*\r\n/, ""), never);
  else assert.match(origin.recorded[0].head, seen);

  const clean = await sent(
    proxy,
    `GET ${at} HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n`,
  );
  assert.equal(statusOf(clean), 200, clean);
  assert.match(clean, next === "kept" ? /\r\nx-cache: hit\r\n/ : /\r\nx-cache: miss\r\n/);
  if (answer === undefined) assert.doesNotMatch(clean, never);
  assert.doesNotMatch(clean, /smuggled/);
}

Deno.test("hostile requests to a caching proxy", async (test) => {
  await using origin = startRawOrigin();
  const settings = { ...PROXY_DEFAULTS, origin: origin.url };
  const proxy = await serveGateway(settings, { hostname: "127.0.0.1", port: 0 });
  for (const [index, probe] of PROBES.entries()) {
    await test.step(`${probe.what}: ${probe.status ?? "closed"}`, async () => {
      origin.recorded.length = 0;
      await tryProbe(probe, `/p${index}`, proxy, origin);
    });
  }
  await test.step("60 proxy probes were tried", () => {
    assert.equal(new Set(PROBES.map(({ what }) => what)).size, 60);
  });
  await proxy.close();
});
