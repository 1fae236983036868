/** What listens where an inspector should: each gives an error that says why, and nobody waits for ever. */
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { descendantsOf } from "../../base/system/processes.ts";
import { treeMs } from "../../base/profile/call_tree.ts";
import { foldedProfile } from "../../runner/profile/sampled_part.ts";
import type { ProfilingContext } from "../../targets/profile/profiler.ts";
import { startProfiles } from "../../targets/profile/profilers.ts";
import { v8Profiler } from "../../targets/profile/v8.ts";
import { testWith } from "../needs.ts";

const MARKUP = `</script><img src=x onerror="alert(1)">`;

/** Answers one message of the protocol; null: not at all. */
type Answer = (method: string) => object | null;

/** An inspector in this process, which is asked as if it were the target's. */
async function withInspector(answer: Answer, run: () => Promise<void>): Promise<void> {
  const sockets: WebSocket[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { host, pathname } = new URL(request.url);
    if (pathname === "/json/list") {
      // Another host's address is not followed.
      return Response.json([{ webSocketDebuggerUrl: `ws://192.0.2.1:${host.split(":")[1]}/one` }]);
    }
    const { socket, response } = Deno.upgradeWebSocket(request);
    sockets.push(socket);
    socket.onmessage = ({ data }) => {
      const { id, method } = JSON.parse(data);
      const result = answer(method);
      if (result === null) return;
      if ("close" in result) return socket.close();
      socket.send("garbage");
      socket.send(JSON.stringify({ id, ...result }));
    };
    return response;
  });
  try {
    await run();
  } finally {
    for (const socket of sockets) socket.close();
    await server.shutdown();
  }
}

/** As the target's process, this one. */
const PROCESS = { pid: Deno.pid, program: "node" };

function context(signal = new AbortController().signal): ProfilingContext {
  return { origin: "http://127.0.0.1:1", pprofPath: null, forMs: 10, signal };
}

async function failureOf(answer: Answer): Promise<string> {
  let message = "";
  await withInspector(answer, async () => {
    const profile = async (): Promise<unknown> =>
      await (await v8Profiler.start(PROCESS, context())).stop();
    message = await profile().then(() => "", (error: Error) => error.message);
  });
  return message;
}

const FAILURES: readonly { what: string; answer: Answer; says: RegExp }[] = [
  {
    what: "never responds",
    answer: () => null,
    says: /^its inspector does not respond to Profiler\.enable$/,
  },
  {
    what: "refuses",
    answer: () => ({ error: { message: "not today" } }),
    says: /^its inspector refuses: not today$/,
  },
  {
    what: "goes away while it samples",
    answer: (method) => method === "Profiler.stop" ? { close: true } : { result: {} },
    says: /^its inspector has closed the connection$/,
  },
  {
    what: "gives something else than a profile",
    answer: () => ({ result: { profile: { nodes: "none" } } }),
    says: /^its inspector returned something other than a profile$/,
  },
];

for (const { what, answer, says } of FAILURES) {
  testWith(["linux"], `an inspector that ${what} is an error that says so`, {
    // fetch keeps its connection for a while.
    sanitizeResources: false,
    sanitizeOps: false,
    fn: async () => assert.match(await failureOf(answer), says),
  });
}

testWith(["linux"], "a port that accepts and never responds is no inspector", {
  sanitizeResources: false,
  sanitizeOps: false,
  async fn(): Promise<void> {
    using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const accepted: Deno.Conn[] = [];
    void (async () => {
      for await (const connection of listener) accepted.push(connection);
    })();
    await assert.rejects(
      v8Profiler.start(PROCESS, context()),
      /^Error: its inspector is not open$/,
    );
    for (const connection of accepted) connection.close();
  },
});

testWith(["linux"], "many ports that never respond take no longer than one", {
  sanitizeResources: false,
  sanitizeOps: false,
  async fn(): Promise<void> {
    const silent = Array.from(
      { length: 40 },
      () => Deno.listen({ port: 0, hostname: "127.0.0.1" }),
    );
    try {
      const before = performance.now();
      await assert.rejects(v8Profiler.start(PROCESS, context()), /its inspector is not open$/);
      assert.ok(performance.now() - before < 20_000, "2 s for each port would be 80 s");
      await withInspector(() => ({ result: {} }), async () => {
        const profiler = await v8Profiler.start(PROCESS, context());
        await assert.rejects(profiler.stop(), /something other than a profile$/);
      });
    } finally {
      for (const listener of silent) listener.close();
    }
  },
});

testWith(["linux"], "a list of inspectors without end is not read to its end", {
  sanitizeResources: false,
  sanitizeOps: false,
  async fn(): Promise<void> {
    let sentBytes = 0;
    const over = Promise.withResolvers<void>();
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull(controller): void {
          sentBytes += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
        cancel: () => over.resolve(),
      });
    const where = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    const server = Deno.serve(where, () => new Response(endless()));
    await assert.rejects(v8Profiler.start(PROCESS, context()), /its inspector is not open$/);
    await over.promise;
    assert.ok(sentBytes < 50e6, `${sentBytes}`); // what buffers hold, and the limit is 64 kB
    await server.shutdown();
  },
});

testWith(["linux"], "a message of an inspector without end is an error that says so", {
  sanitizeResources: false,
  sanitizeOps: false,
  async fn(): Promise<void> {
    using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const { port } = listener.addr;
    void (async () => {
      for await (const conn of listener) void flood(conn, port).catch(() => conn.close());
    })();
    await assert.rejects(
      v8Profiler.start(PROCESS, context()),
      /a profile of V8 is larger than 64 MB, the limit/,
    );
  },
});

/** The list of one inspector, and as that a text in frames without end. */
async function flood(conn: Deno.Conn, port: number): Promise<void> {
  const request = new Uint8Array(4_096);
  const length = await conn.read(request) ?? 0;
  const head = new TextDecoder().decode(request.subarray(0, length));
  const list = JSON.stringify([{ webSocketDebuggerUrl: `ws://127.0.0.1:${port}/one` }]);
  const isList = head.startsWith("GET /json/list");
  const answer = isList
    ? `HTTP/1.1 200 OK\r\ncontent-length: ${list.length}\r\n\r\n${list}`
    : "HTTP/1.1 101 Switching Protocols\r\n\r\n";
  await conn.write(new TextEncoder().encode(answer));
  const frame = new Uint8Array(4 + 60_000);
  frame.set([0x01, 126, 60_000 >> 8, 60_000 & 0xff]);
  for (let sent = 0; !isList; sent++) {
    if (sent === 1) frame[0] = 0;
    for (let at = 0; at < frame.length;) at += await conn.write(frame.subarray(at));
  }
}

testWith(
  ["linux"],
  "of a target of 101 processes the 16 busiest are profiled, and a note says so",
  {
    sanitizeResources: false,
    sanitizeOps: false,
    async fn(): Promise<void> {
      const target = new Deno.Command("sh", {
        args: ["-c", "for i in $(seq 100); do sleep 60 & done; wait"],
      }).spawn();
      try {
        while (descendantsOf(target.pid).length < 100) await pause(5);
        const session = await startProfiles({ pid: target.pid, supervised: false }, context());
        const { processes, notes } = await session.stop();
        assert.equal(processes.length, 16);
        assert.ok(
          notes.includes("only the 16 busiest of 101 processes were profiled"),
          notes.join(),
        );
        // The profilers are gone, and nobody else is.
        assert.equal(descendantsOf(Deno.pid).length, 101);
      } finally {
        for (const pid of descendantsOf(target.pid)) Deno.kill(pid, "SIGKILL");
        await target.status;
      }
    },
  },
);

/** A profile with as many functions as nodes, of which each has one sample. */
function largeProfile(nodes: number): object {
  const frame = (id: number): object => ({
    functionName: id === 2 ? MARKUP : `aFunctionWithAnUncommonlyLongName${id}`,
    url: `file:///srv/application/source/module_${id}.js`,
    lineNumber: id,
    columnNumber: 1,
    scriptId: "1",
  });
  const root = { functionName: "(root)", url: "", lineNumber: -1 };
  return {
    startTime: 0,
    endTime: 1_000 * nodes,
    nodes: Array.from({ length: nodes }, (_, i) => ({
      id: i + 1,
      callFrame: i === 0 ? root : frame(i + 1),
      // A chain of a thousand calls, and the rest beside each other.
      children: i === 0
        ? Array.from({ length: nodes - 1_001 }, (_, j) => j + 1_002).concat(2)
        : i < 1_000
        ? [i + 2]
        : [],
    })),
    samples: Array.from({ length: nodes - 1 }, (_, i) => i + 2),
    timeDeltas: Array.from({ length: nodes - 1 }, () => 1_000),
  };
}

testWith(["linux"], "a profile of 50 MB is read whole, and folded to what results can hold", {
  sanitizeResources: false,
  sanitizeOps: false,
  async fn(): Promise<void> {
    const profile = largeProfile(240_000);
    const answer: Answer = (method) => ({ result: method === "Profiler.stop" ? { profile } : {} });
    await withInspector(answer, async () => {
      const { bytes, tree, samples } = await (await v8Profiler.start(PROCESS, context())).stop();
      assert.ok(bytes.length > 50e6, `${bytes.length}`);
      assert.equal(samples, 239_999);
      const folded = foldedProfile([tree]);
      assert.ok(JSON.stringify(folded).length < 400_000);
      assert.ok(Math.abs(treeMs(folded.tree) - treeMs(tree)) < 1e-3 * treeMs(tree));
      assert.equal(folded.tree.frame.length + folded.pruned.nodes >= tree.frame.length, true);
      assert.equal(folded.tree.frames.find(({ name }) => name === MARKUP)?.name, MARKUP);
    });
  },
});
