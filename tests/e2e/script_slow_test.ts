/** Experiments in TypeScript that throw, fail, renew what they hold or are wrong. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, exits } from "./plateau.ts";
import { resultsIn, script, SIGNING, signingServer, writeScript } from "./signing.ts";

Deno.test("a script that throws fails each of its requests with its line, and the run goes on", async () => {
  await using server = await signingServer();
  using folder = emptyFolder();
  const order = `before(request: any, user: any) {
    if (user.iteration % 2 === 1) throw new Error("odd");
    request.headers["x-signature"] = signed(user, request.body);
  },
  after(response: any) { if (response.status !== 200) throw new Error("refused"); }`;
  const file = writeScript(
    folder.path,
    script(server.url, order).replace("repeat: 2", "repeat: 1").replace(
      "requests: 200",
      'duration: "1s"',
    ),
  );
  const out = join(folder.path, "out");
  await exits(0, ["run", file, "--out", out, "--quiet"]);
  const [run] = resultsIn(out).runs;
  const { requests, errors, reasons = {} } = run;
  assert.ok((errors.script ?? 0) > 0 && requests.completed > 0, JSON.stringify(requests));
  assert.equal(
    requests.due,
    requests.completed + requests.failed + requests.unfinished + requests.dropped,
  );
  assert.equal(requests.failed, errors.script);
  assert.match(JSON.stringify(reasons), /Error: odd \(signed\.ts:7:\d+\)/);
  assert.equal(server.seen.unsigned, 0);
});

Deno.test("a wrong experiment in TypeScript is told by the place in its default export", async () => {
  using folder = emptyFolder();
  const file = writeScript(
    folder.path,
    script("http://127.0.0.1:1", SIGNING).replace("connections: 4", "connections: 0"),
  );
  const { stderr } = await exits(2, ["check", file]);
  assert.match(stderr, /signed\.ts: load\.connections/);
  writeFileSync(file, "export default {\n  name: missing,\n};\n");
  const { stderr: thrown } = await exits(2, ["check", file]);
  assert.match(thrown, /Cannot run this script: ReferenceError: .*missing.* \(signed\.ts:2:\d+\)/);
  const refused: readonly [text: string, why: RegExp][] = [
    ["\nenum A { b }\nexport default {};\n", /enum is not supported: .* \(signed\.ts:2:1\)/],
    ["export default {\n  a: 1\n  b: 2,\n};\n", /Expected ',', got 'ident' \(signed\.ts:3:3\)/],
    [
      'import "./none.ts";\nexport default {};\n',
      /there is no file \S*none\.ts, which the script imports/,
    ],
    [
      'await import("../../etc/hostname");\nexport default {};\n',
      /Cannot import "\.\.\/\.\.\/etc\/hostname": it is not a script/,
    ],
    ["export default () => {};\n", /its default export returned nothing: .* \(signed\.ts:1:\d+\)/],
    [
      'export default { setup: "a", scenarios: { b: { flow: [{ get: "/", after: "c" }] } } };\n',
      /signed\.ts: setup: Cannot call this text.*\n.*scenarios\.b\.flow\.0\.after: Cannot call this text/,
    ],
    ["export default async () => ({});\n", /wait in setup instead \(signed\.ts:1:\d+\)/],
  ];
  for (const [text, why] of refused) {
    writeFileSync(file, text);
    const { stderr } = await exits(2, ["check", file]);
    assert.match(stderr, why);
  }
});

Deno.test("setup fetches from servers alone, and a secret of the environment stays out of the results", async () => {
  await using server = await signingServer();
  using folder = emptyFolder();
  const file = writeScript(
    folder.path,
    script(server.url, `headers: { authorization: key }, ${SIGNING}`)
      .replace("export default", 'const key = env("SHOP_KEY");\nexport default')
      .replace("{ experiment }", "{ env, experiment }"),
  );
  const out = join(folder.path, "out");
  const key = "k3y-of-the-shop-9127";
  await exits(0, ["run", file, "--out", out, "--quiet"], { env: { SHOP_KEY: key } });
  assert.ok(server.seen.signed > 0);
  for (const { name } of Deno.readDirSync(out)) {
    assert.ok(!readFileSync(join(out, name), "utf8").includes(key), name);
  }
  const { stderr: missing } = await exits(2, ["check", file]);
  assert.match(missing, /the environment variable SHOP_KEY is not set \(signed\.ts:3:\d+\)/);

  const reading = script(server.url, SIGNING).replace(
    'fetch(url + "/login", { method: "POST" })',
    'fetch("file:///etc/hostname")',
  );
  writeFileSync(file, reading);
  const { stderr } = await exits(3, ["run", file, "--out", join(folder.path, "file"), "--quiet"]);
  assert.match(stderr, /setup of signed\.ts failed: .*write an http URL/);
});

/** Knows only the last tokens that it gave, and cannot give each third one. */
async function expiringServer(): Promise<
  AsyncDisposable & {
    readonly url: string;
    readonly seen: { statuses: Map<number, number>; tokens: Set<string>; sessions: Set<string> };
  }
> {
  const seen = {
    statuses: new Map<number, number>(),
    tokens: new Set<string>(),
    sessions: new Set<string>(),
  };
  const valid: string[] = [];
  let logins = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/login") {
      if (++logins % 3 === 0) return response.writeHead(503).end();
      valid.push(`t${logins}`);
      return response.end(JSON.stringify({ token: valid.at(-1) }));
    }
    const token = request.headers.authorization ?? "";
    const status = valid.slice(-3).includes(token) ? 200 : 401;
    seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
    seen.tokens.add(token);
    seen.sessions.add(searchParams.get("session") ?? "");
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

Deno.test("a token is renewed in the middle of a load without a gap, also where a renewal fails", async () => {
  await using server = await expiringServer();
  using folder = emptyFolder();
  const file = join(folder.path, "fresh.ts");
  writeFileSync(
    file,
    `const login = async (url: string) => {
  const response = await fetch(url + "/login", { method: "POST" });
  if (!response.ok) throw new Error("no token: " + response.status);
  return (await response.json()).token;
};
export default {
  name: "fresh",
  targets: { shop: { url: "${server.url}" } },
  scenarios: {
    order: {
      get: "/orders?session={{ session }}",
      user: {
        start(user: any) { user.vars.session = user.id + "-" + user.iteration; },
        end(user: any) { if (user.iteration === 1) throw new Error("wrong at its end"); },
      },
      before(request: any, user: any) { request.headers.authorization = user.data.token; },
    },
  },
  setup: async ({ url }: { url: string }) => ({ token: await login(url), renewals: 0 }),
  refresh: {
    every: "150ms",
    by: async (data: any, { url }: { url: string }) => ({
      token: await login(url),
      renewals: data.renewals + 1,
    }),
  },
  teardown(data: { renewals: number }) { console.log("renewals: " + data.renewals); },
  load: { connections: 4, duration: "1.5s" },
  repeat: 1,
};
`,
  );
  const out = join(folder.path, "out");
  const { stderr } = await exits(0, ["run", file, "--out", out, "--quiet"]);
  const [{ requests, hooks, sessions }] = resultsIn(out).runs;
  const { done, failed } = hooks?.refreshes ?? { done: 0, failed: 0 };
  assert.deepEqual([...server.seen.statuses.keys()], [200]);
  assert.ok(done >= 2 && failed >= 1, JSON.stringify(hooks));
  // While the load is still starting, tokens are renewed that no request uses.
  const renewed = [...server.seen.tokens].map((token) => Number(token.slice(1))).slice(1);
  const [first, last] = [Math.min(...renewed), Math.max(...renewed)];
  assert.ok(renewed.length >= 2 && renewed.length > (last - first) / 2, renewed.join());
  assert.match(
    stderr,
    /keep their earlier data: refresh\.by of fresh\.ts failed: Error: no token: 503/,
  );
  assert.match(stderr, new RegExp(`renewals: ${done}`));
  // Each session was begun by its hook, and the second of each place was wrong at its end alone.
  assert.equal(requests.failed, 0);
  assert.equal(server.seen.sessions.size, requests.completed);
  assert.equal(sessions?.failed, 4);
});

Deno.test("a teardown that fails is told by a quiet run, too, and stands in the results", async () => {
  await using server = await signingServer();
  using folder = emptyFolder();
  const file = join(folder.path, "left.ts");
  writeFileSync(
    file,
    `export default {
  name: "left",
  targets: { shop: { url: "${server.url}" } },
  scenarios: { login: { get: "/login" } },
  teardown() {
    throw new Error("not closed");
  },
  load: { connections: 1, requests: 5 },
  repeat: 2,
};
`,
  );
  const out = join(folder.path, "out");
  const { stderr } = await exits(0, ["run", file, "--out", out, "--quiet"]);
  const why = /teardown of left\.ts failed: Error: not closed \(left\.ts:6:\d+\)/;
  assert.match(stderr, why);
  assert.equal(stderr.split("not closed").length, 2, stderr); // once for both runs
  for (const { teardownFailed } of resultsIn(out).runs) assert.match(teardownFailed ?? "", why);
});
