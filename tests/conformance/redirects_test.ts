/** Redirects that requests follow (RFC 9110 §15.4), over both drivers, held against what the server saw. */
import assert from "node:assert/strict";
import { NO_FILES } from "../../base/files.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { checkResponses } from "../../runner/experiment/preflight.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import { testWith } from "../needs.ts";

/** Requests as they came: `POST /a body`. */
interface Site extends AsyncDisposable {
  readonly origin: string;
  readonly seen: string[];
}

/** `/to?status=303&path=/end` redirects; `/loop` to itself; `/away` to another port. */
function site(): Site {
  const seen: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const url = new URL(request.url);
      const type = request.headers.get("content-type") ?? "";
      const text = [request.method, url.pathname, await request.text(), type];
      seen.push(text.join(" ").trim());
      const redirect = (status: number, location: string): Response =>
        new Response(null, {
          status,
          headers: { location: inUtf8(location), "set-cookie": `via=${status}; Path=/` },
        });
      if (url.pathname === "/loop") return redirect(302, "/loop");
      if (url.pathname === "/away") return redirect(302, "http://127.0.0.1:9/elsewhere");
      if (url.pathname === "/to") {
        return redirect(Number(url.searchParams.get("status")), url.searchParams.get("path") ?? "");
      }
      return new Response(`at ${url.pathname}, ${request.headers.get("cookie")}`);
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    seen,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function made(scenario: object): Script {
  return scriptOf(scenarioSpecWith(NO_FILES).parse(scenario), 1);
}

async function measured(
  { origin }: Site,
  script: Script,
  driver: DriverName,
  kind: "closed" | "phases" = "closed",
): Promise<Measurement> {
  const loader = new LocalLoader();
  const common = { connections: 2, timeout: 20_000, keepAlive: true, workers: 1 };
  const load = loadOf(
    kind === "closed" ? { ...common, duration: 300 } : {
      ...common,
      phases: [{ durationUs: 300_000, fromPerSec: 20, toPerSec: 20 }],
    },
  );
  try {
    return await measureLoad({
      ...{ origin, script, load, driver },
      ...{ seed: 1, intervalMs: 100, logPath: null, implicitCheck: true },
    }, { loader, onProgress: () => {}, signal: new AbortController().signal });
  } finally {
    await loader.close();
  }
}

const countOf = (seen: readonly string[], text: string): number =>
  seen.filter((one) => one === text).length;

const BODY = { body: "b", headers: { "content-type": "text/plain" } };

/** What follows a request with a status: browsers' and fetch's ways. */
const WAYS: readonly (readonly [status: number, request: object, next: string])[] = [
  [301, { get: "/to?status=301&path=/end" }, "GET /end"],
  [302, { get: "/to?status=302&path=/end" }, "GET /end"],
  [301, { post: "/to?status=301&path=/end", ...BODY }, "GET /end"],
  [302, { post: "/to?status=302&path=/end", ...BODY }, "GET /end"],
  [303, { post: "/to?status=303&path=/end", ...BODY }, "GET /end"],
  [303, { put: "/to?status=303&path=/end", ...BODY }, "GET /end"],
  [302, { put: "/to?status=302&path=/end", ...BODY }, "PUT /end b text/plain"],
  [307, { post: "/to?status=307&path=/end", ...BODY }, "POST /end b text/plain"],
  [308, { put: "/to?status=308&path=/end", ...BODY }, "PUT /end b text/plain"],
  [303, { head: "/to?status=303&path=/end" }, "HEAD /end"],
  [302, { get: `/to?status=302&path=${encodeURIComponent("/für/%20?é")}` }, "GET /f%C3%BCr/%20"],
];

/** Its octets as characters, as the values of headers are given. */
function inUtf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

for (const driver of ["epoll", "tcp"] as const) {
  const needs = driver === "epoll" ? ["linux"] as const : [] as const;
  const test = (name: string, run: () => Promise<void>): void =>
    testWith([...needs], `redirects: ${name} (${driver})`, run);

  for (const [status, request, next] of WAYS) {
    test(`${status} leads ${Object.keys(request)[0]} to ${next}`, async () => {
      await using served = site();
      const { requests, checks, steps = [] } = await measured(
        served,
        made({ ...request, follow: 5 }),
        driver,
      );
      assert.equal(checks.failed, 0);
      const [first, redirected] = steps;
      assert.ok(first.requests.completed > 0 && requests.failed === 0);
      assert.match(redirected.name, /\(redirected\)$/);
      assert.equal(first.requests.due + redirected.requests.due, served.seen.length);
      assert.equal(countOf(served.seen, next), redirected.requests.due);
    });
  }

  test("each hop counts, and what is expected is of the last", async () => {
    await using served = site();
    const path = encodeURIComponent("/to?status=307&path=/end");
    const script = made({
      get: `/to?status=301&path=${path}`,
      follow: 5,
      expect: { status: 200, contains: "at /end" },
    });
    const { requests, checks, status } = await measured(served, script, driver, "phases");
    assert.deepEqual(status, { "200": 6, "301": 6, "307": 6 });
    assert.deepEqual([requests.completed, checks.failed, checks.passed], [18, 0, 6]);
  });

  test("a loop ends, and is wrong", async () => {
    await using served = site();
    const { checks, status } = await measured(
      served,
      made({ get: "/loop", follow: 3 }),
      driver,
      "phases",
    );
    assert.deepEqual([status, checks], [{ "302": 24 }, { passed: 0, failed: 6 }]);
  });

  test("another host is never asked, and such a response is wrong", async () => {
    await using served = site();
    const { checks, requests } = await measured(
      served,
      made({ get: "/away", follow: 3 }),
      driver,
      "phases",
    );
    assert.deepEqual([checks.failed, requests.completed], [6, 6]);
  });

  test("a flow goes on from where it was led to, with the cookies of each hop", async () => {
    await using served = site();
    const script = made({
      flow: [
        { post: "/to?status=303&path=/home", form: { user: "ada" } },
        { get: "/next", expect: { contains: "at /next, via=303" } },
      ],
      follow: 1,
    });
    const { checks, sessions } = await measured(served, script, driver, "phases");
    assert.deepEqual([checks.failed, sessions?.completed], [0, 6]);
    assert.equal(countOf(served.seen, "GET /home"), 6);
  });

  test("without follow a redirect is a response as any other", async () => {
    await using served = site();
    const { status } = await measured(served, made({ get: "/to?status=302&path=/end" }), driver);
    assert.deepEqual(Object.keys(status), ["302"]);
    assert.equal(countOf(served.seen, "GET /end"), 0);
  });
}

/** Why a target can't be measured. */
async function whyNot(scenario: object): Promise<string> {
  await using served = site();
  const end = new AbortController();
  const request = { target: "a", timeoutMs: 20_000, signal: end.signal };
  const error = await checkResponses({ ...request, origin: served.origin, script: made(scenario) })
    .then(() => null, (error: Error) => error);
  return error?.message ?? "";
}

Deno.test("redirects: the preflight follows them, and says what is wrong", async () => {
  const right = { get: "/to?status=302&path=/end", follow: 1, expect: { contains: "at /end" } };
  assert.equal(await whyNot(right), "");
  assert.match(
    await whyNot({ get: "/away", follow: 2 }),
    /^Cannot measure target a: GET \/away is redirected to http:\/\/127\.0\.0\.1:9: only the target is loaded$/,
  );
  assert.match(await whyNot({ get: "/loop", follow: 2 }), /redirected more than 2 times/);
});
