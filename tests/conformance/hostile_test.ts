/**
 * What every driver must make of servers that do anything but answer.
 */
import assert from "node:assert/strict";
import { testWith } from "../needs.ts";
import { assertNothingLost, load, loadAwhile } from "./loading.ts";
import { type Act, isAsked, pause, raw, say, type Server } from "./servers.ts";
import { everyDriver, everyWay, PLAIN_WAYS, type Way } from "./ways.ts";

everyWay("where nobody listens it is refused, and asks again only after a pause", async (way) => {
  const gone = raw(way, () => Promise.resolve());
  await gone.stop();
  const loaded = await load(way, gone, { requests: 10, connections: 2 });
  assertNothingLost(loaded);
  assert.deepEqual(loaded.errors, { connect: 10 });
  // Five dials of each connection, with 10, 20, 40 and 80 ms between them.
  assert.ok(loaded.elapsedUs >= 145_000, `10 dials in ${loaded.elapsedUs} µs`);
});

everyDriver("a name that nobody knows is a dns failure", async (way) => {
  const endpoint = { hostname: "nobody.invalid", port: 80 };
  const loaded = await load(way, { endpoint }, { requests: 2, connections: 1 });
  assert.deepEqual(loaded.errors, { dns: 2 });
});

const OK = "HTTP/1.1 200 OK\r\n";

/** Says `text` to every request. */
async function answerAll(conn: Deno.Conn, text: string): Promise<void> {
  while (await isAsked(conn)) await say(conn, text);
}

/** Says `text` to the first request. */
async function answerOnce(conn: Deno.Conn, text: string): Promise<void> {
  if (await isAsked(conn)) await say(conn, text);
}

/** Says piece after piece, until the peer has had enough. */
async function goOn(conn: Deno.Conn, pieces: Iterable<string>, everyMs: number): Promise<void> {
  for (const piece of pieces) {
    await say(conn, piece);
    await pause(everyMs);
  }
}

interface Hostile {
  readonly act: Act;
  /** The only kinds of failure that may come of it. */
  readonly errors: readonly string[];
}

const HOSTILE: Record<string, Hostile> = {
  "answers with garbage": {
    act: (conn) => answerAll(conn, "garbage\r\n\r\n"),
    errors: ["protocol"],
  },
  "hangs up at once": { act: () => Promise.resolve(), errors: ["closed", "reset"] },
  "hangs up on the request": { act: async (conn) => void await isAsked(conn), errors: ["closed"] },
  "hangs up within the head": { act: (conn) => answerOnce(conn, `${OK}Con`), errors: ["closed"] },
  "hangs up within the body": {
    act: (conn) => answerOnce(conn, `${OK}Content-Length: 9\r\n\r\nabc`),
    errors: ["closed"],
  },
  "sends fields without end": {
    act: async (conn) => {
      if (await isAsked(conn)) {
        await goOn(conn, [OK, ...new Array(500).fill(`X: ${"y".repeat(9_000)}\r\n`)], 2);
      }
    },
    errors: ["protocol"],
  },
  "says nothing": {
    act: async (conn) => {
      while (await isAsked(conn));
    },
    errors: ["timeout"],
  },
  "sends a byte now and then": {
    act: (conn) => goOn(conn, `${OK}Content-Length: 0\r\n\r\n`, 20),
    errors: ["timeout"],
  },
};

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

for (const [what, { act, errors }] of Object.entries(HOSTILE)) {
  everyWay(`a server that ${what} fails every request and nothing else`, async (way) => {
    const server = raw(way, act);
    await judge(way, server, errors);
    await server.stop();
  });
}

const EMPTY = `${OK}Content-Length: 0\r\n\r\n`;
/** Two answers to one request, as they may arrive. */
const TWICE: Record<string, readonly string[]> = {
  "in one read": [`${EMPTY}${EMPTY}`],
  "in a later read": [EMPTY, EMPTY],
  "cut within the second answer": [`${EMPTY}HT`, EMPTY.slice(2)],
  "octet by octet": [...EMPTY, ...EMPTY],
};

for (const [when, pieces] of Object.entries(TWICE)) {
  everyWay(
    `bytes after the answer, ${when}, close the connection and fail nothing`,
    async (way) => {
      const server = raw(way, async (conn) => {
        while (await isAsked(conn)) await goOn(conn, pieces, pieces.length > 2 ? 0 : 20);
      });
      await judgeUnsolicited(way, server);
      await server.stop();
    },
  );
}

async function judgeUnsolicited(way: Way, server: Pick<Server, "endpoint">): Promise<void> {
  const loaded = await load(way, server, {
    supply: {
      kind: "open",
      phases: [{ durationUs: 500_000, fromPerSec: 10, toPerSec: 10 }],
      arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
    },
    connections: 1,
    durationUs: 500_000,
  });
  const { completed, failed, unasked, reconnects } = loaded.totals;
  assertNothingLost(loaded);
  const found = JSON.stringify({ completed, failed, unasked, reconnects });
  assert.ok(completed > 0 && unasked > 0 && reconnects >= unasked - 1, found);
  assert.equal(failed, 0, JSON.stringify([...loaded.totals.reasons]));
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
