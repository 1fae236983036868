import assert from "node:assert/strict";
import fc from "fast-check";
import { loadEngine } from "../../base/pattern.ts";
import type { Load } from "../../scenarios/load/load.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import type { LoadRequest } from "../../runner/measure/loader.ts";
import { Flow } from "../../runner/load/engine/flow.ts";
import { RequestScript } from "../../runner/load/engine/request_loop.ts";
import { largestRequestBytes, slotsOf } from "../../runner/load/engine/job.ts";
import { type AssignedWorkers, shareOut } from "../../runner/measure/share.ts";
import { usableConnections } from "../../scenarios/load/load.ts";
import { forAll } from "../for_all.ts";
import { script } from "../scenarios/made_script.ts";

await loadEngine();

const SCRIPT: Script = scriptOf(requestScenarioSpec.parse({ get: "/" }), 0);
const COMMON = { keepAlive: true, timeout: 1_000 };
const PHASES = [{ durationUs: 2_000_000, fromPerSec: 10, toPerSec: 100 }];

function requestOf(load: Load): LoadRequest {
  return {
    origin: "http://127.0.0.1:1",
    script: SCRIPT,
    load,
    seed: 5,
    driver: "tcp",
    intervalMs: 250,
    logPath: "/tmp/log",
    implicitCheck: false,
  };
}

Deno.test("other hosts get neither the target's address nor its client certificate", () => {
  const hosts = ["https://b.test", "https://a.test"];
  const scenario = requestScenarioSpec.parse({ get: "/", follow: { hops: 1, hosts } });
  const closed = { ...COMMON, kind: "closed" as const, connections: 3, workers: 1, pipeline: 1 };
  const [share] = shareOut({
    ...requestOf({ ...closed, durationMs: 1_000, requests: null }),
    script: scriptOf(scenario, 0),
    origin: "https://a.test:443",
    addresses: ["127.0.0.1"],
    clientCertificate: { cert: "cert", key: "key" },
    caCerts: ["authority"],
  }, "tcp");
  const tls = { insecure: false, caCerts: ["authority"] };
  assert.deepEqual(share.elsewhere, [
    { hostname: "b.test", port: 443, tls: { ...tls, serverName: "b.test" } },
  ]);
  assert.equal(slotsOf(share), 6);
});

Deno.test("workers take turns at the rate of new connections, also those of different agents", () => {
  const closed = { ...COMMON, kind: "closed" as const, connections: 8, workers: 4, pipeline: 1 };
  const load: Load = { ...closed, durationMs: 1_000, requests: null, connectRate: 100 };
  const turns = { perSec: 100, stride: 4 };
  const sharesOf = (firstWorker: number, own: number) =>
    shareOut(requestOf(load), "tcp", { firstWorker, workers: 4, own })
      .map(({ dialTurns }) => dialTurns);
  assert.deepEqual(
    [...sharesOf(0, 1), ...sharesOf(1, 3)],
    [0, 1, 2, 3].map((first) => ({ ...turns, first })),
  );
});

Deno.test("where bodies have a limit, statuses are checked, too", () => {
  const closed = { ...COMMON, kind: "closed" as const, connections: 1, workers: 1, pipeline: 1 };
  const load: Load = { ...closed, durationMs: 1_000, requests: null };
  const checksOf = (load: Load) => {
    const [{ script }] = shareOut(requestOf(load), "tcp");
    return script.kind === "requests" && script.requests.map(({ check }) => check?.statuses[0]);
  };
  assert.deepEqual(checksOf(load), [undefined]);
  assert.deepEqual(checksOf({ ...load, maxBody: 1 }), [200]);
});

const MANY: Readonly<Record<string, object>> = {
  responses: { expect: { contains: "a" } },
  streams: { stream: "events", expect: { matches: "a+" } },
};

for (const [what, given] of Object.entries(MANY)) {
  Deno.test(`a worker prepares equal expectations of ${what} once, also those from a coordinator`, () => {
    const closed = { ...COMMON, kind: "closed" as const, connections: 1, workers: 1, pipeline: 1 };
    const local = scriptOf(
      requestScenarioSpec.parse({ get: "/{{ id }}", values: { id: "uuid" }, ...given }),
      0,
    );
    const sent: Script = JSON.parse(JSON.stringify(local));
    for (const script of [local, sent]) {
      const load: Load = { ...closed, durationMs: 1_000, requests: null };
      const [share] = shareOut({ ...requestOf(load), script }, "tcp");
      assert.ok(share.script.kind === "requests");
      const [first, second] = share.script.requests;
      assert.notDeepEqual(first.bytes, second.bytes);
      assert.ok(first.check === second.check);
      assert.ok(first.stream === second.stream);
      const { requests } = new RequestScript(share.script);
      assert.ok(requests[0].check === requests[1].check);
    }
  });
}

Deno.test("over HTTP/2 a pipeline is streams, on the target's connections and on those of other hosts", () => {
  const scenario = requestScenarioSpec.parse({
    get: "/",
    follow: { hops: 1, hosts: ["http://b"] },
  });
  const closed = { ...COMMON, kind: "closed" as const, connections: 3, workers: 1 };
  const load: Load = { ...closed, durationMs: 1_000, requests: null, pipeline: 8, http2: true };
  const [share] = shareOut(
    { ...requestOf(load), script: scriptOf(scenario, 0), origin: "http://a" },
    "tcp",
  );
  const { pipeline, streams, endpoint, elsewhere } = share;
  assert.deepEqual({ pipeline, streams, endpoint, elsewhere }, {
    ...{ pipeline: 1, streams: 8 },
    endpoint: { hostname: "a", port: 80, http2: true },
    elsewhere: [{ hostname: "b", port: 80, http2: true }],
  });
});

Deno.test("the resources of a page have connections of their user, or streams over HTTP/2", () => {
  const page = script({ page: "/", with: ["/a", "/b", "/c"], parallel: 2 });
  const closed = { ...COMMON, kind: "closed" as const, connections: 3, workers: 1, pipeline: 1 };
  const shareOf = (more: { readonly http2?: true }) => {
    const load = { ...closed, durationMs: 1_000, requests: null, ...more };
    const [share] = shareOut({ ...requestOf(load), script: page }, "tcp");
    return [share.pipeline, share.lanes, share.streams, slotsOf(share)];
  };
  assert.deepEqual(shareOf({}), [1, 2, undefined, 6]);
  assert.deepEqual(shareOf({ http2: true }), [1, undefined, 2, 6]);
});

Deno.test("in stages each worker sends single requests as virtual users, and knows its part of the level", () => {
  const stages = [{ durationUs: 1e6, from: 1, to: 5 }];
  const timed = { pipeline: 1, durationMs: 1_000, requests: null };
  const shares = shareOut(
    requestOf({ ...COMMON, kind: "closed", connections: 5, workers: 2, ...timed, stages }),
    "tcp",
  );
  const seen = shares.map(({ connections, pacer, script, durationUs, waitsForLast }) => ({
    ...{ connections, pacer, kind: script.kind, durationUs, waitsForLast },
  }));
  const common = { kind: "flow", durationUs: 1e6, waitsForLast: false };
  const levels = { stages, workers: 2 };
  const closed = { kind: "closed", requests: Infinity };
  assert.deepEqual(seen, [
    { ...common, connections: 3, pacer: { ...closed, levels: { ...levels, worker: 0 } } },
    { ...common, connections: 2, pacer: { ...closed, levels: { ...levels, worker: 1 } } },
  ]);
});

const anyLoad = fc.record({
  connections: fc.integer({ min: 1, max: 500 }),
  workers: fc.integer({ min: 1, max: 40 }),
  ratePerSec: fc.integer({ min: 1, max: 100_000 }),
  requests: fc.option(fc.integer({ min: 1, max: 10_000 })),
  arrivals: fc.constantFrom("uniform" as const, "poisson" as const),
  kind: fc.constantFrom("closed" as const, "rate" as const, "phases" as const, "stages" as const),
}).map(({ kind, connections, workers, ratePerSec, requests, arrivals }): Load => {
  const common = { ...COMMON, connections, workers };
  if (kind === "rate") return { ...common, kind, ratePerSec, arrivals, durationMs: 1_000 };
  if (kind === "phases") return { ...common, kind, phases: PHASES, arrivals, pool: "own" };
  if (kind === "stages") {
    const timed = { pipeline: 1, durationMs: 1_000, requests: null };
    const stages = [{ durationUs: 1e6, from: 0, to: connections }];
    return { ...common, kind: "closed", ...timed, stages };
  }
  const durationMs = requests === null ? 1_000 : null;
  return { ...common, kind, pipeline: 1, durationMs, requests };
});

/** Cuts so many workers into places, at the given points. */
function placesOf(workers: number, cuts: readonly number[]): AssignedWorkers[] {
  const borders = [...new Set([0, ...cuts.map((cut) => cut % workers), workers])].sort((a, b) =>
    a - b
  );
  return borders.slice(1).map((border, i) => ({
    firstWorker: borders[i],
    workers,
    own: border - borders[i],
  }));
}

Deno.test("the shares of all places, one after the other, are the shares of the whole", () => {
  forAll([anyLoad, fc.array(fc.nat(100), { maxLength: 6 })], (load, cuts) => {
    const request = requestOf(load);
    const whole = shareOut(request, "tcp");
    const places = placesOf(whole.length, cuts);
    assert.deepEqual(places.flatMap((place) => shareOut(request, "tcp", place)), whole);
  }, { seed: 13 });
});

/** What each of so many workers asks, in a round of `length` requests. */
function askedBy(workers: number, length: number): number[][] {
  assert.ok(SCRIPT.kind === "requests");
  const [request] = SCRIPT.requests;
  const requests = Array.from({ length }, () => request);
  const script = { ...SCRIPT, requests, sequence: [...requests.keys()] };
  const load: Load = {
    ...COMMON,
    kind: "closed",
    connections: 50,
    workers,
    pipeline: 1,
    durationMs: 1_000,
    requests: null,
  };
  return shareOut({ ...requestOf(load), script }, "tcp").map(({ script }) => {
    assert.ok(script.kind === "requests");
    return [...script.sequence];
  });
}

Deno.test("workers take turns at the requests of a round", () => {
  assert.deepEqual(askedBy(2, 4), [[0, 2, 0, 2], [1, 3, 1, 3]]);
  assert.deepEqual(askedBy(2, 3), [[0, 2, 1], [1, 0, 2]]);
});

Deno.test("all workers together ask each request of a round equally often", () => {
  for (const workers of [1, 2, 3, 7, 9]) {
    const times = Map.groupBy(askedBy(workers, 7).flat(), (request) => request);
    assert.deepEqual([...times.values()].map(({ length }) => length), Array(7).fill(workers));
  }
});

Deno.test("a place decides how many workers there are, whatever the load says", () => {
  const load: Load = {
    ...COMMON,
    kind: "rate",
    connections: 10,
    workers: 2,
    ratePerSec: 100,
    arrivals: "uniform",
    durationMs: 1_000,
  };
  const shares = shareOut(requestOf(load), "tcp", { firstWorker: 3, workers: 4, own: 1 });
  assert.deepEqual(
    shares.map(({ connections, log, pacer }) => ({ connections, log, pacer })),
    [{
      connections: 2,
      log: { path: "/tmp/log", firstConnection: 8 },
      pacer: {
        kind: "open",
        phases: [{ durationUs: 1e6, fromPerSec: 100, toPerSec: 100 }],
        arrivals: { kind: "uniform", seed: 5, first: 3, stride: 4 },
      },
    }],
  );
});

Deno.test("no more connections can be used than there are requests", () => {
  const load: Load = {
    ...COMMON,
    kind: "closed",
    connections: 10,
    workers: null,
    pipeline: 1,
    durationMs: null,
    requests: 3,
  };
  assert.equal(usableConnections(load), 3);
  assert.equal(usableConnections({ ...load, requests: null, durationMs: 1_000 }), 10);
});

Deno.test("phases take no more places than visitors come, where that is known", () => {
  const load: Load = {
    ...COMMON,
    kind: "phases",
    connections: 10_000,
    workers: null,
    phases: [{ durationUs: 2_000_000, fromPerSec: 5, toPerSec: 5 }],
    arrivals: "uniform",
    pool: "own",
  };
  assert.equal(usableConnections(load), 10);
  assert.equal(usableConnections({ ...load, arrivals: "poisson" }), 10_000);
});

Deno.test("each virtual user of all workers has a row that no other has", () => {
  const rows = script({
    get: "/{{ n }}",
    values: { n: { csv: "7", column: "n", order: "unique" } },
  });
  const closed = { ...COMMON, kind: "closed" as const, connections: 7, workers: 3, pipeline: 1 };
  const load: Load = { ...closed, durationMs: 1_000, requests: null };
  const shares = shareOut({ ...requestOf(load), script: rows }, "tcp");
  const taken = shares.flatMap(({ connections, script }) => {
    assert.ok(script.kind === "flow");
    const flow = new Flow(script);
    return Array.from(
      { length: connections },
      (_, place) => [0, 1].map(() => flow.nextJourney(place).variables.get("n")),
    );
  });
  for (const [first, again] of taken) assert.equal(first, again);
  assert.deepEqual(taken.map(([row]) => Number(row)).toSorted(), [0, 1, 2, 3, 4, 5, 6]);
});

Deno.test("workers get the rows of the users that may be there, and no others of a long table", () => {
  const own = Array.from({ length: 1_000 }, (_, place) => ({ n: String(place) }));
  const load: Load = {
    ...{ ...COMMON, kind: "closed", connections: 5, workers: 2, pipeline: 1 },
    ...{ durationMs: 1_000, requests: null },
  };
  const shares = shareOut({ ...requestOf(load), script: { ...SCRIPT, own } }, "tcp");
  const rows = shares.map(({ script }) => script.kind === "flow" ? script.own : null);
  assert.deepEqual(rows, [[own[0], own[2], own[4]], [own[1], own[3]]]);
});

const REQUESTS = {
  "with a body and a head": { post: "/orders?id=1", body: "a".repeat(16_350) },
  "with a body that is larger in UTF-8": { post: "/", body: "é".repeat(9_000) },
  "with large fields": { get: "/", headers: { cookie: "a".repeat(16_350) } },
  "with a file, which is kept as base64": { post: "/", multipart: { a: { file: "a.bin" } } },
  "that opens a WebSocket": {
    websocket: "/ws",
    send: { text: "a".repeat(16_350) },
    expect: "echo",
  },
};
for (const [what, request] of Object.entries(REQUESTS)) {
  Deno.test(`a request is as large in a flow as alone: one ${what}`, () => {
    const closed = { ...COMMON, kind: "closed" as const, connections: 1, workers: 1, pipeline: 1 };
    const load: Load = { ...closed, durationMs: 1_000, requests: null };
    const [alone, inFlow] = [request, { flow: [request] }].map((input) => {
      const [share] = shareOut({ ...requestOf(load), script: script(input) }, "tcp");
      return largestRequestBytes(share.script);
    });
    assert.equal(inFlow, alone);
  });
}

Deno.test("a flow has a size also where a placeholder has a name that no head could hold", () => {
  const closed = { ...COMMON, kind: "closed" as const, connections: 1, workers: 1, pipeline: 1 };
  const load: Load = { ...closed, durationMs: 1_000, requests: null };
  const named = script({ flow: [{ get: "/{{ имя }}" }], values: { имя: { pick: ["a"] } } });
  const [share] = shareOut({ ...requestOf(load), script: named }, "tcp");
  assert.ok(largestRequestBytes(share.script) > "GET /{{ имя }} HTTP/1.1".length);
});
