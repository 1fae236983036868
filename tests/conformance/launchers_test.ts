/**
 * One suite over all launchers: each turns its lines of an experiment file into a server that answers,
 * and back into nothing (targets/launch/launcher.ts); then, for those that start processes, the ways
 * in which targets misbehave. What becomes of them when Plateau is killed: orphans_waits_test.ts.
 */
import assert from "node:assert/strict";
import { childrenOf, descendantsOf } from "../../base/system/processes.ts";
import { SECRET, secrets } from "../../base/secrets.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { needing, testWith } from "../needs.ts";
import { program, targetFrom } from "../targets/fixtures/launch_context.ts";
import {
  failure,
  lateFailure,
  type Lines,
  MEMBERS,
  others,
  serveHere,
  start,
  statusOf,
} from "./launcher_members.ts";

const withLinux = needing("linux");

/** On Linux: nothing that was started is left. */
function assertNothingLeft(): void {
  assert.deepEqual(descendantsOf(Deno.pid), []);
}

for (const { name, needs = [], lines, owned } of MEMBERS) {
  testWith(
    needs,
    `launcher ${name} starts a target that answers, and stops what it started`,
    async () => {
      await using server = serveHere();
      const target = await start(lines(server.addr.port), { others });
      assert.match(target.origin, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(await statusOf(target.origin), 200);
      assert.equal(target.pid !== null, owned);
      assert.equal((target.startUpMs ?? 0) > 0, owned);
      await Promise.all([target.stop(), target.stop()]);
      if (owned) await assert.rejects(fetch(target.origin));
      else assert.equal(await statusOf(target.origin), 200);
      assertNothingLeft();
    },
  );

  testWith(needs, `launcher ${name} starts nothing after an interruption`, async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await assert.rejects(start(lines(1), { signal, others }), /^Error: interrupted$/);
    assertNothingLeft();
  });
}

interface Reply {
  readonly status?: number;
  readonly fields: Readonly<Record<string, string>>;
  /** In hexadecimal. */
  readonly body?: string;
  readonly trailers?: Readonly<Record<string, string>>;
}

/** Speaks HTTP/2 alone, as gRPC servers do, and has one reply to all calls. */
function replying({ status = 200, fields, body = "", trailers = {} }: Reply): string[] {
  return [
    "node",
    "--eval",
    `require("node:http2").createServer((_, response) => {
      response.writeHead(${status}, ${JSON.stringify(fields)});
      response.addTrailers(${JSON.stringify(trailers)});
      response.end(Buffer.from("${body}", "hex"));
    }).listen(process.env.PORT, "127.0.0.1")`,
  ];
}

const GRPC = { "content-type": "application/grpc" };

/** @param message HealthCheckResponse, in hexadecimal. */
function healthy(message: string): string[] {
  const length = (message.length / 2).toString(16).padStart(10, "0");
  return replying({ fields: GRPC, body: `${length}${message}`, trailers: { "grpc-status": "0" } });
}

const READY: readonly [what: string, command: string[]][] = [
  ["without the method", replying({ fields: { ...GRPC, "grpc-status": "12" } })],
  ["that serves", healthy("0801")],
];
for (const [what, command] of READY) {
  needing("node").test(`a gRPC server ${what} is ready when it responds to a call`, async () => {
    const target = await start({ command, ready: "grpc" });
    assert.equal(target.readyPath, null);
    await target.stop();
    assertNothingLeft();
  });
}

const NOT_READY: readonly [what: string, command: string[], says: string][] = [
  [
    "that is unavailable",
    replying({ fields: { ...GRPC, "grpc-status": "14" } }),
    "grpc-status 14 \\(UNAVAILABLE\\)",
  ],
  ["without a status", replying({ fields: GRPC }), "status 200 without a grpc-status"],
  [
    "of HTTP/2 alone",
    replying({ status: 404, fields: { "content-type": "text/plain" } }),
    "status 404, which is no gRPC response",
  ],
  ["that does not serve yet", healthy("0802"), "health NOT_SERVING"],
  ["that does not know whether it serves", healthy(""), "health UNKNOWN"],
];
for (const [what, command, says] of NOT_READY) {
  needing("node").test(`a server ${what} is not ready for gRPC calls`, async () => {
    const pattern = new RegExp(
      `^Cannot start target tested: no response to a gRPC call in [\\d.]+ s: it responds with ${says}$`,
    );
    await lateFailure({ command, ready: "grpc" }, pattern);
    assertNothingLeft();
  });
}

Deno.test("a gRPC server that does not listen is not ready", async () => {
  const says =
    /^Cannot start target tested: no response to a gRPC call in [\d.]+ s: .*can't be reached: /;
  await lateFailure({ command: program("silent"), ready: "grpc" }, says);
  assertNothingLeft();
});

Deno.test("an interruption ends the wait for a target, and the target", async () => {
  const interruption = new AbortController();
  const waiting = start({ command: program("silent") }, { signal: interruption.signal });
  setTimeout(() => interruption.abort(new Error("interrupted")), 200);
  await assert.rejects(waiting, /^Error: interrupted$/);
  assertNothingLeft();
});

const CANARY = "a-secret-of-the-target";

const DEAD: { what: string; lines: Lines; says: RegExp; isLate?: boolean }[] = [
  {
    what: "that ends at once",
    lines: { command: program("talk"), ready: "/static" },
    says: /^Cannot start target tested: it exited with code 3 before it responded to GET \/static$/,
  },
  {
    what: "that is killed",
    lines: { command: ["sh", "-c", "kill -9 $$"] },
    says: /^Cannot start target tested: it was ended by SIGKILL before it responded to GET \/$/,
  },
  {
    what: "that never listens",
    lines: { command: program("silent") },
    isLate: true,
    says:
      /^Cannot start target tested: no response to GET \/ in [\d.]+ s: http:\/\/127\.0\.0\.1:\d+ can't be reached: .*refused/,
  },
  {
    what: "that answers wrong",
    lines: { command: program("broken") },
    isLate: true,
    says:
      /^Cannot start target tested: no response to GET \/ in [\d.]+ s: it responds with status 500$/,
  },
  ...[
    {
      kind: "a text",
      env: { BODY: 'no database:\n"users"\u001b[31m' },
      shown: ' and body "no database:\\\\n\\\\"users\\\\"\\\\u001b\\[31m"',
    },
    {
      kind: "JSON",
      env: { BODY: "{}", TYPE: "application/problem+json" },
      shown: ' and body "{}"',
    },
    { kind: "a long text", env: { BODY: "x".repeat(9_999) }, shown: ' and body "x{200}…"' },
    { kind: "an image", env: { BODY: "GIF89a", TYPE: "image/gif" }, shown: "" },
    { kind: "a secret", env: { BODY: `key ${CANARY}` }, shown: ' and body "key \\[secret\\]"' },
  ].map(({ kind, env, shown }) => ({
    what: `that answers wrong with ${kind}`,
    lines: { command: program("broken"), env },
    isLate: true,
    says: new RegExp(
      `^Cannot start target tested: no response to GET / in [\\d.]+ s: it responds with status 500${shown}$`,
    ),
  })),
  {
    what: "whose program is not there",
    lines: { command: ["no-such-program", "{port}"] },
    says: /^Cannot start target tested: there is no program "no-such-program" on PATH$/,
  },
  {
    what: "whose program is a folder",
    lines: { command: ["./"] },
    says: /^Cannot start target tested: there is no program "\.\/": it is a folder$/,
  },
  {
    what: "whose program is a file that is not there",
    lines: { command: ["./no-such-file"] },
    says:
      /^Cannot start target tested: there is no program "\.\/no-such-file", which is \/.*\/fixtures\/no-such-file$/,
  },
  {
    what: "whose program and arguments are one text",
    lines: { command: ["node server.js"] },
    says:
      /^Cannot start target tested: there is no program "node server.js": write its arguments separately, \[node, server.js\]$/,
  },
  {
    what: "whose program may not be executed",
    lines: { command: ["./program.ts"] },
    says:
      /^Cannot start target tested: there is no program "\.\/program\.ts": the file of that name is not executable \(chmod \+x \/.*\/program\.ts\)$/,
  },
  {
    what: "whose folder is not there",
    lines: { command: program("serve"), cwd: "./no-such-folder" },
    says:
      /^Cannot start target tested: there is no folder ".*\/fixtures\/no-such-folder": "\.\/no-such-folder" is relative to the folder of the experiment file$/,
  },
  {
    what: "whose folder is a file",
    lines: { command: program("serve"), cwd: "program.ts" },
    says: /^Cannot start target tested: there is no folder ".*\/program\.ts": it is a file$/,
  },
  {
    what: "whose inherited variable is not set",
    lines: { command: program("serve"), inherit: ["PATH", "PLATEAU_NOT_SET", "NOT_EITHER"] },
    says:
      /^Cannot start target tested: it inherits PLATEAU_NOT_SET, NOT_EITHER, which is not set here; set it, or leave it out of inherit$/,
  },
  {
    what: "whose Redis is not there",
    lines: { app: "api" },
    says: /^Cannot start target tested: it exited with code 3 before it responded to GET \/static$/,
  },
];

for (const { what, lines, says, isLate = false } of DEAD) {
  Deno.test(`a target ${what} is an error that says so, and leaves no process`, async () => {
    const redisUrl = "redis://:secret@127.0.0.1:1";
    using _ = secrets.keepWhile([[CANARY, SECRET]]);
    const failed = isLate ? lateFailure(lines, says, { redisUrl }) : failure(lines, { redisUrl });
    const { message, evidence } = await failed;
    assert.match(message, says);
    assert.doesNotMatch(evidence.join("\n"), /secret/);
    assertNothingLeft();
  });
}

Deno.test("the error holds the target's last 20 lines, safe to print", async () => {
  const { evidence } = await failure({ command: program("talk") });
  const printed = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}`);
  assert.deepEqual(evidence, [...printed, "out of luck"].slice(-20));
});

Deno.test("a target whose own port is taken is not started, as another would answer for it", async () => {
  await using server = serveHere();
  const env = { PORT: String(server.addr.port) };
  const { message } = await failure({ command: program("serve"), env });
  const who = Deno.build.os === "linux" ? ` by deno (process ${Deno.pid})` : "";
  assert.equal(
    message,
    `Cannot start target tested: its port ${server.addr.port} is in use${who}; ` +
      'for a free port, write PORT: "{port}" in its env, and leave port out',
  );
});

const OTHER_PORT = freePort();

const ELSEWHERE: readonly { what: string; lines: Lines; says: RegExp }[] = [
  {
    what: "another port than {port}",
    lines: { command: program("serve"), env: { OWN_PORT: String(OTHER_PORT) } },
    says: new RegExp(
      `it listens on ${OTHER_PORT}, not on {port}: write \`port: ${OTHER_PORT}\`, or pass "{port}" in its command or env$`,
    ),
  },
  {
    what: "another port, in a process that it has started",
    lines: { command: program("daemon"), env: { OWN_PORT: String(OTHER_PORT) } },
    says: new RegExp(`it listens on ${OTHER_PORT}, not on {port}: write \`port: ${OTHER_PORT}\``),
  },
  {
    what: "another port than the file's own",
    lines: { command: program("serve"), env: { OWN_PORT: String(OTHER_PORT) }, port: freePort() },
    says: new RegExp(
      `it listens on ${OTHER_PORT}, not on \\d+: write \`port: ${OTHER_PORT}\`$`,
    ),
  },
  {
    what: "another address",
    lines: { command: program("serve"), env: { HOST: "127.0.0.2" } },
    says:
      /it listens on port \d+ at 127\.0\.0\.2: write {host} in its command or env, so that it listens on 127\.0\.0\.1$/,
  },
];

for (const { what, lines, says } of ELSEWHERE) {
  withLinux.test(`a target that listens on ${what} is told where it listens`, async () => {
    await lateFailure(lines, says);
    assertNothingLeft();
  });
}

withLinux.test("a target that can't be reached after five seconds is told of, while it may still come", async () => {
  const noted = Promise.withResolvers<string>();
  const over = new AbortController();
  const waiting = start(
    { command: program("serve"), env: { OWN_PORT: String(OTHER_PORT) } },
    { signal: over.signal, onNote: noted.resolve, readyTimeoutMs: 600_000 },
  );
  waiting.catch(() => {}); // awaited below
  const note = await noted.promise;
  assert.match(note, /^Target tested can't be reached yet: it listens on \d+, not on {port}/);
  over.abort(new Error("interrupted"));
  await assert.rejects(waiting, /^Error: interrupted$/);
  assertNothingLeft();
});

/** Closes the connection of each request for /warm, and responds to all others. */
const NOT_WARM = `require("node:net").createServer((socket) => {
  socket.on("data", (bytes) => {
    if (String(bytes).startsWith("GET /warm")) return socket.destroy();
    socket.end("HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\nconnection: close\\r\\n\\r\\n");
  });
}).listen(process.env.PORT, "127.0.0.1")`;

for (const ahead of [false, true]) {
  needing("node").test(
    `a warm-up that fails ends its cluster with the reason, ahead: ${ahead}`,
    async () => {
      const warmUp = { duration: "100ms", rate: "10/s", path: "/warm" };
      const target = await start(
        { cluster: { of: "cold", instances: 1, add: { at: "1ms", ahead, warmUp } } },
        { others: { cold: targetFrom({ command: ["node", "--eval", NOT_WARM] }) } },
      );
      target.onLoadStart?.(performance.timeOrigin + performance.now());
      await target.exited;
      const lines = target.lastLines();
      await target.stop();
      assert.deepEqual(lines, ["closed before the response"]);
      assertNothingLeft();
    },
  );
}

needing("nginx").test(
  "nginx names the instance also after it has tried one that is not there yet",
  async () => {
    const cluster = {
      of: "behind",
      instances: 1,
      balancer: "nginx",
      workers: 1,
      add: { at: "1h" },
    };
    const target = await start({ cluster }, { others });
    const named = new Set<string | null>();
    for (let n = 0; n < 50; n++) {
      const response = await fetch(target.origin);
      await response.body?.cancel();
      named.add(response.headers.get("x-instance"));
      await new Promise((resolve) => setTimeout(resolve, 50)); // it tries again in each second
    }
    await target.stop();
    assert.deepEqual([...named], ["1"]);
    assertNothingLeft();
  },
);

Deno.test("a target may have a port of its own", async () => {
  const port = freePort();
  const target = await start({ command: program("serve"), env: { PORT: String(port) } });
  assert.equal(target.origin, `http://127.0.0.1:${port}`);
  await target.stop();
});

for (const habit of ["daemon", "stubborn-daemon"]) {
  withLinux.test(`a target that is a ${habit} is served from, and gone after stop`, async () => {
    const target = await start({ command: program(habit) });
    assert.equal(await statusOf(target.origin), 200);
    await target.stop();
    await assert.rejects(fetch(target.origin));
    assertNothingLeft();
  });
}

withLinux.test("a target is gone after stop, though its supervisor hangs", async () => {
  const target = await start({ command: program("stubborn-daemon") });
  const [supervisor] = childrenOf(Deno.pid);
  Deno.kill(supervisor, "SIGSTOP");
  await target.stop();
  await assert.rejects(fetch(target.origin));
  assertNothingLeft();
});
