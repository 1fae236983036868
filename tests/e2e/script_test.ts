/** Experiments in TypeScript, from the file to the results: hooks, setup and teardown, types, and what they become as YAML. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { emptyFolder, exits } from "./plateau.ts";

const EXAMPLES = join(import.meta.dirname ?? "", "../../examples/code");

/** What the server saw. */
interface Seen {
  logins: number;
  logouts: number;
  signed: number;
  unsigned: number;
}

interface SigningServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen;
}

/** Takes orders that are signed with the token that a login gave, and responds with their total. */
async function signingServer(): Promise<SigningServer> {
  const seen: Seen = { logins: 0, logouts: 0, signed: 0, unsigned: 0 };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => body += part);
    request.on("end", () => {
      if (request.url === "/login") return response.end(`{"token":"t${++seen.logins}"}`);
      if (request.url === "/logout") return response.end(String(++seen.logouts));
      const wanted = createHmac("sha256", `t${seen.logins}`).update(body).digest("hex");
      const isSigned = request.headers["x-signature"] === wanted;
      seen[isSigned ? "signed" : "unsigned"]++;
      response.writeHead(isSigned ? 200 : 401).end('{"total":3}');
    });
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

function script(url: string, order: string): string {
  return `import { experiment } from "plateau";
import { signed } from "./lib/signed.ts";
export default experiment({
  name: "signed",
  targets: { shop: { url: "${url}" } },
  scenarios: { order: { post: "/orders", json: { id: 1 }, ${order} } },
  async setup({ url }: { url: string }) {
    const response = await fetch(url + "/login", { method: "POST" });
    return (await response.json()) as { token: string };
  },
  async teardown(data: { token: string }) {
    if (data.token.startsWith("t")) await fetch("${url}/logout", { method: "POST" });
  },
  load: { connections: 4, requests: 200 },
  repeat: 2,
});
`;
}

const LIB =
  `interface User { hmac(algorithm: string, key: string, text: string): string; data: any }
export function signed(user: User, body: string): string {
  return user.hmac("sha256", user.data.token, body);
}
`;

const SIGNING = `before(request: any, user: any) {
    request.body = JSON.stringify({ id: user.iteration });
    request.headers["x-signature"] = signed(user, request.body);
  }`;

function resultsIn(folder: string): Results {
  return results.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
}

function writeScript(folder: string, text: string): string {
  Deno.mkdirSync(join(folder, "lib"), { recursive: true });
  writeFileSync(join(folder, "lib/signed.ts"), LIB);
  const file = join(folder, "signed.ts");
  writeFileSync(file, text);
  return file;
}

Deno.test("a TypeScript experiment signs every request with what setup got, and ends its session", async () => {
  await using server = await signingServer();
  using folder = emptyFolder();
  const file = writeScript(folder.path, script(server.url, SIGNING));
  const out = join(folder.path, "out");
  await exits(0, ["run", file, "--out", out, "--quiet"]);
  const { runs, experiment, source } = resultsIn(out);
  assert.deepEqual(runs.map(({ status }) => status), [{ 200: 200 }, { 200: 200 }]);
  // One more a run is that of the preflight.
  assert.deepEqual(server.seen, { logins: 2, logouts: 2, signed: 402, unsigned: 0 });
  for (const { hooks } of runs) {
    assert.equal(hooks?.calls, 200);
    assert.ok(hooks.timeS > 0 && hooks.timeS < 60, String(hooks.timeS));
  }
  assert.match(source, /interface User/);
  assert.deepEqual(Object.keys(Object(experiment.script).files), ["signed.ts", "lib/signed.ts"]);

  // What it becomes is a whole experiment file of its own.
  const { stdout } = await exits(0, ["check", file, "--as", "yaml"]);
  const yaml = join(folder.path, "expanded.yaml");
  writeFileSync(yaml, stdout);
  await exits(0, ["run", yaml, "--out", join(folder.path, "again"), "--quiet"]);
  assert.deepEqual(server.seen, { logins: 4, logouts: 4, signed: 804, unsigned: 0 });
});

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
    ['import "./none.ts";\nexport default {};\n', /there is no file \S*none\.ts, which it imports/],
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

/** Each wrong line must be an error: the check fails where one is right. */
const WRONG = `import { experiment } from "plateau";
export default experiment({
  name: "wrong",
  targets: { api: { app: "api" } },
  scenarios: {
    one: {
      get: "/",
      // @ts-expect-error -- a misspelt key
      befor() {},
      after(response) {
        // @ts-expect-error -- a response is only read
        response.status = 200;
      },
    },
  },
  // @ts-expect-error -- no number
  load: { connections: true, duration: "1s" },
});
`;

Deno.test("init --types writes the types by which an editor checks every key and hook", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  await exits(0, ["init", "--types"], { cwd });
  const examples = ["signed.ts", "login.ts", "checkout.ts"];
  for (const name of examples) cpSync(join(EXAMPLES, name), join(cwd, name));
  writeFileSync(join(cwd, "wrong.ts"), WRONG);
  writeFileSync(join(cwd, "package.json"), "{}");
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--node-modules-dir=manual", "wrong.ts", ...examples],
    cwd,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
});

Deno.test("init --types leaves the package alone that npm has installed", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  const manifest = join(cwd, "node_modules/plateau/package.json");
  Deno.mkdirSync(dirname(manifest), { recursive: true });
  const written = JSON.stringify({ name: "plateau", bin: { plateau: "bin/plateau" } });
  writeFileSync(manifest, written);
  const { stdout } = await exits(0, ["init", "--types"], { cwd });
  assert.match(stdout, /node_modules.plateau is the package of npm, which has the types/);
  assert.deepEqual([...Deno.readDirSync(dirname(manifest))].map(({ name }) => name), [
    "package.json",
  ]);
  assert.equal(readFileSync(manifest, "utf8"), written);
});

Deno.test("a default export that is a function gets the parameters of --set", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "of.ts");
  writeFileSync(
    file,
    `export default ({ connections = 1, path = "/" }: { connections?: number; path?: string }) => ({
  name: "of",
  targets: { api: { app: "api" } },
  scenarios: { one: { get: path } },
  load: { connections, duration: "1s" },
});
`,
  );
  const { stdout } = await exits(0, [
    "check",
    file,
    "--set",
    "connections=7",
    "--set",
    "path=/static",
  ]);
  assert.match(stdout, /Load: 7 connections/);
  const { stdout: yaml } = await exits(0, ["check", file, "--as", "yaml", "--set", "path=/static"]);
  assert.match(yaml, /get: \/static/);
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
  assert.ok(server.seen.tokens.size > done / 2, [...server.seen.tokens].join());
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
