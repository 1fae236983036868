/**
 * What every driver must make of servers that do anything but answer.
 */
import assert from "node:assert/strict";
import type { WorkerTotals } from "../../runner/load/recording/totals.ts";
import { testWith } from "../needs.ts";
import { assertNothingLost, load, loadAwhile } from "./loading.ts";
import { EMPTY, FAILING, goOn, OK } from "../hostile/acts.ts";
import { isAsked, raw, type Server } from "./servers.ts";
import { everyDriver, everyWay, PLAIN_WAYS, type Way } from "./ways.ts";

everyWay.test("where nobody listens it is refused, and asks again only after a pause", async (way) => {
  const gone = raw(way, () => Promise.resolve());
  await gone.stop();
  const loaded = await load(way, gone, { requests: 10, connections: 2 });
  assertNothingLost(loaded);
  assert.deepEqual(loaded.errors, { connect: 10 });
  // Five dials of each connection, with 10, 20, 40 and 80 ms between them.
  assert.ok(loaded.elapsedUs >= 145_000, `10 dials in ${loaded.elapsedUs} µs`);
});

everyDriver.test("a name that nobody knows is a dns failure", async (way) => {
  const endpoint = { hostname: "nobody.invalid", port: 80 };
  const loaded = await load(way, { endpoint }, { requests: 2, connections: 1 });
  assert.deepEqual(loaded.errors, { dns: 2 });
});

async function judge(
  way: Way,
  server: Pick<Server, "endpoint">,
  errors: readonly string[],
): Promise<void> {
  const timeoutUs = errors.includes("timeout") ? 100_000 : 2_000_000;
  const loaded = await loadAwhile(way, server, { durationUs: 300_000, timeoutUs });
  const { totals } = loaded;
  assert.equal(loaded.elapsedUs, 300_000, "it ends on time");
  assert.equal(totals.completed, 0);
  assert.ok(totals.failed > 0);
  const unexpected = Object.keys(loaded.errors).filter((kind) => !errors.includes(kind));
  assert.deepEqual(unexpected, [], JSON.stringify([...totals.reasons]));
  const { cpuUs } = loaded.time;
  // It takes 20 to 50 ms, most of them to compile; who asks again and again takes all of them.
  assert.ok(cpuUs < 150_000, `${cpuUs} µs CPU in 300 ms`);
}

for (const [what, { act, errors }] of Object.entries(FAILING)) {
  everyWay.test(`a server that ${what} fails every request and nothing else`, async (way) => {
    const server = raw(way, act);
    await judge(way, server, errors);
    await server.stop();
  });
}

/** Two answers to one request, as they may arrive. */
const TWICE: Record<string, readonly string[]> = {
  "in one read": [`${EMPTY}${EMPTY}`],
  "in a later read": [EMPTY, EMPTY],
  "cut within the second answer": [`${EMPTY}HT`, EMPTY.slice(2)],
  "octet by octet": [...EMPTY, ...EMPTY],
};

for (const [when, pieces] of Object.entries(TWICE)) {
  everyWay.test(`bytes after the answer, ${when}, close the connection and fail nothing`, async (way) => {
    const server = raw(way, async (conn) => {
      while (await isAsked(conn)) await goOn(conn, pieces, pieces.length > 2 ? 0 : 20);
    });
    await judgeUnsolicited(way, server);
    await server.stop();
  });
}

/** Both answers must have come before the next request, which else takes the second for its own: slower, if need be. */
const UNSOLICITED_PER_SEC = [4, 1];

async function judgeUnsolicited(way: Way, server: Pick<Server, "endpoint">): Promise<void> {
  const found: string[] = [];
  for (const perSec of UNSOLICITED_PER_SEC) {
    const { completed, failed, unsolicited, reconnects, reasons } = await loadOf(
      way,
      server,
      perSec,
    );
    assert.equal(failed, 0, JSON.stringify([...reasons]));
    if (completed > 0 && unsolicited > 0 && reconnects >= unsolicited - 1) return;
    found.push(JSON.stringify({ perSec, completed, unsolicited, reconnects }));
  }
  assert.fail(found.join(" "));
}

/** Five requests over one connection. */
async function loadOf(
  way: Way,
  server: Pick<Server, "endpoint">,
  perSec: number,
): Promise<WorkerTotals> {
  const durationUs = 5_000_000 / perSec;
  const loaded = await load(way, server, {
    pacer: {
      kind: "open",
      phases: [{ durationUs, fromPerSec: perSec, toPerSec: perSec }],
      arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
    },
    connections: 1,
    durationUs,
  });
  assertNothingLost(loaded);
  return loaded.totals;
}

const RESETTING = new URL("./resetting_server.mjs", import.meta.url).pathname;
const WHEN = { "on the request": "", "within the body": `${OK}Content-Length: 9\r\n\r\nabc` };
for (const [when, text] of Object.entries(WHEN)) {
  for (const way of PLAIN_WAYS) {
    const sentence =
      `${way.name}: a server that resets ${when} fails every request and nothing else`;
    testWith(["node"], sentence, async () => {
      const args = [RESETTING, text];
      const child = new Deno.Command("node", { args, stdin: "piped", stdout: "piped" }).spawn();
      const output = child.stdout.getReader();
      const port = Number(new TextDecoder().decode((await output.read()).value));
      await judge(way, { endpoint: { hostname: "127.0.0.1", port } }, ["reset"]);
      await child.stdin.close();
      await output.cancel();
      await child.status;
    });
  }
}
