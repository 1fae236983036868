/** A page whose resources are fetched several at a time, as servers see it, on every way. */
import assert from "node:assert/strict";
import type { FlowSpec, StepSpec } from "../../runner/load/engine/flow.ts";
import { assertNothingLost, load } from "./loading.ts";
import { counting } from "./servers.ts";
import { everyProtocol } from "./ways.ts";

const RESOURCES = 6;
const AT_A_TIME = 3;
const PAGES = 4;

function step(path: string, more: { readonly beside?: true } = {}): StepSpec {
  const wire = { method: "GET", path, headers: {}, body: null };
  const rest = { follow: null, check: null, strict: false, captures: [] };
  return { kind: "request", step: 0, wire, ...rest, ...more };
}

const FLOW: FlowSpec = {
  journeys: [[
    step("/"),
    ...Array.from({ length: RESOURCES }, (_, at) => step(`/${at}`, { beside: true })),
  ]],
  sequence: [0],
  origins: [{ origin: "http://localhost", connection: { host: "localhost", keepAlive: true } }],
  users: [{}],
  first: 0,
  stride: 1,
  thinkSeed: 0,
  sharedPool: true,
  cookies: null,
};

everyProtocol.test("resources come as many at a time as they may, on connections or streams of their user", async (way) => {
  const ports = new Set<number>();
  let pages = 0;
  let inFlight = 0;
  let most = 0;
  let waiting: (() => void)[] = [];
  // A response waits until as many are asked for as may be: one after the other would wait forever.
  const server = counting(way, async (request, { remoteAddr }) => {
    if ("port" in remoteAddr) ports.add(remoteAddr.port);
    most = Math.max(most, ++inFlight);
    if (new URL(request.url).pathname === "/") pages++;
    else {
      await new Promise<void>((go) => {
        waiting.push(go);
        if (waiting.length < AT_A_TIME) return;
        for (const go of waiting) go();
        waiting = [];
      });
    }
    inFlight--;
    return new Response("ok");
  });
  const loaded = await load(way, server, {
    script: { kind: "flow", ...FLOW },
    connections: 1,
    requests: PAGES, // of sessions
    ...way.http2 ? { pipeline: AT_A_TIME } : { lanes: AT_A_TIME },
  });
  await server.stop();
  assertNothingLost(loaded);
  const { totals: { completed, due }, errors, sessions } = loaded;
  assert.deepEqual(errors, {});
  assert.deepEqual([pages, server.seen()], [PAGES, PAGES * (1 + RESOURCES)]);
  assert.deepEqual([due, completed, sessions.completed], [server.seen(), server.seen(), PAGES]);
  assert.equal(most, AT_A_TIME);
  if (ports.size > 0) assert.equal(ports.size, way.http2 ? 1 : AT_A_TIME);
});
