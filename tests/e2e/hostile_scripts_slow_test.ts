/** Scripts that do all that they should not, on the whole program: the run ends, counts add up, and the sentence names the line. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { emptyFolder, exits } from "./plateau.ts";

const HOSTILE: Readonly<Record<string, string>> = {
  loops: "for (;;);",
  searches: "[].includes.call({ length: 2 ** 53 - 1 }, 1);",
  fills: "const a = []; for (;;) a.push(new Array(1000).fill('x' + a.length));",
  pollutes: "Object.prototype.then = 1; JSON.stringify = () => 'x'; throw new Error('polluted');",
  reads: "Deno.readTextFileSync('/etc/passwd');",
  opens: "new WebSocket('ws://127.0.0.1:1/');",
  exits: "Deno.exit(0);",
  throws: "throw { get message() { throw 1; }, toString() { throw 2; } };",
  waits: "return new Promise(() => {});",
  chains: "const f = () => Promise.resolve().then(f); return f();",
};

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly seen: () => number;
}

function server(): Server {
  let seen = 0;
  const own = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    seen++;
    return new Response("hello");
  });
  return {
    url: `http://127.0.0.1:${own.addr.port}`,
    seen: () => seen,
    [Symbol.asyncDispose]: () => own.shutdown(),
  };
}

/**
 * The place of a failure, with which its message ends: the line of the body, or the one before, where the function begins,
 * because the engine knows no line of a loop.
 */
function placeOf(text: string, body: string): RegExp {
  const line = text.slice(0, text.indexOf(body)).split("\n").length;
  return new RegExp(`\\(hostile\\.ts:(?:${line - 1}|${line}):\\d+\\)`);
}

function experiment(url: string, parts: string): string {
  return `const kept: unknown[] = [];
export default {
  name: "hostile",
  targets: { here: { url: "${url}" } },
  ${parts}
  load: { connections: 4, duration: "300ms" },
  repeat: 1,
};
`;
}

async function ran(text: string, code: number): Promise<{ found: Results | null; stderr: string }> {
  using folder = emptyFolder();
  const file = join(folder.path, "hostile.ts");
  const out = join(folder.path, "out");
  writeFileSync(file, text);
  const { stderr } = await exits(code, ["run", file, "--out", out]);
  if (code !== 0) return { found: null, stderr };
  const saved = readFileSync(join(out, "results.json"), "utf8");
  return { found: results.parse(JSON.parse(saved)), stderr };
}

const HOOKS: Readonly<Record<string, (body: string) => string>> = {
  before: (body) => `before(request, user) { ${body} }`,
  after: (body) => `after(response, user) { ${body} }`,
  start: (body) => `user: { start(user) { ${body} } }`,
  end: (body) => `user: { end(user) { ${body} } }`,
};

for (const [kind, hook] of Object.entries(HOOKS)) {
  Deno.test(`whatever ${kind} does, the run ends with all counts, and names the line`, async () => {
    await using here = server();
    const scenarios = Object.entries(HOSTILE).map(([name, body]) => {
      const oddly = `if (user.iteration % 2 === 1) {\n${body}\n}`; // the preflight is right
      return `${name}: { get: "/", ${hook(oddly)} },`;
    });
    const text = experiment(here.url, `scenarios: { ${scenarios.join("\n")} },`);
    const { found, stderr } = await ran(text, 0);
    assert.equal(found?.runs.length, scenarios.length);
    let answered = 0;
    for (const { scenario, requests, errors, reasons, sessions } of found.runs) {
      const { due, completed, failed, unfinished, dropped } = requests;
      assert.equal(due, completed + failed + unfinished + dropped, scenario);
      assert.ok(completed > 0, scenario);
      assert.equal(failed, errors.script ?? 0, scenario);
      answered += completed + unfinished + (kind === "after" ? failed : 0);
      if (kind === "end") {
        assert.ok((sessions?.failed ?? 0) > 0, scenario);
      } else assert.ok(failed > 0, scenario);
      const said = kind === "end" ? stderr : JSON.stringify(reasons);
      assert.match(said, placeOf(text, HOSTILE[scenario]), `${scenario}: ${said}`);
    }
    assert.equal(here.seen(), answered + found.runs.length); // each preflight sends one
  });
}

Deno.test("whatever setup does, nothing is measured, and the sentence names the line", async () => {
  await using here = server();
  for (const [name, body] of Object.entries(HOSTILE)) {
    const text = experiment(
      here.url,
      `setup() {\n${body}\n},\nscenarios: { one: { get: "/", before() {} } },`,
    );
    const { stderr } = await ran(text, 3);
    assert.match(stderr, /setup of hostile\.ts failed: /, name);
    assert.match(stderr, placeOf(text, body), `${name}: ${stderr}`);
  }
  assert.equal(here.seen(), 0);
});

Deno.test("whatever refresh and teardown do, the load goes on with all counts, and the sentence names the line", async () => {
  await using here = server();
  for (const [name, body] of Object.entries(HOSTILE)) {
    const text = experiment(
      here.url,
      `refresh: { every: "100ms", by() {\n${body}\n} },
teardown() {\nvoid 0; ${body}\n},
scenarios: { one: { get: "/", before() {} } },`,
    );
    const { found, stderr } = await ran(text, 0);
    assert.ok(found);
    const [{ requests, hooks }] = found.runs;
    assert.equal(requests.due, requests.completed + requests.unfinished, name);
    assert.equal(hooks?.refreshes?.done, 0, name);
    const [ofRefresh, ofTeardown] = ["refresh.by", "teardown"].map((what) =>
      stderr.split("\n").find((line) => line.includes(`${what} of hostile.ts failed: `)) ?? ""
    );
    assert.match(ofRefresh, placeOf(text, body), `${name}: ${stderr}`);
    assert.match(ofTeardown, placeOf(text, `void 0; ${body}`), `${name}: ${stderr}`);
  }
});
