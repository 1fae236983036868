/** The functions of a script around a run, against a server that holds its responses. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { TargetError } from "../../base/errors.ts";
import { LIMITS } from "../../base/limits.ts";
import { beginScript, type ScriptedRun, type ScriptParts } from "../../runner/script/run_script.ts";
import { flowOf, script as scriptOf } from "../scenarios/made_script.ts";

const TEXT = `export default {
  before() {},
  by: async (data, { url }) => {
    await fetch(url + "/slow").catch(() => {});
    await fetch(url + "/late").catch(() => {});
    return data;
  },
  teardown: async (data) => {
    for (let at = 0; at < 20; at++) await fetch(data + "/bye");
  },
  setup: ({ url }) => url,
};`;

Deno.test("what a refresh does after it was cut off is not done with the fetch of teardown", async () => {
  const seen: string[] = [];
  const slow = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    seen.push(request.url ?? "");
    if (request.url === "/slow") slow.resolve(response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  try {
    const script = flowOf({ get: "/", before: "before" });
    const code = { entry: "a.js", files: { "a.js": { text: TEXT } }, parameters: {}, env: [] };
    const scripted = await beginScript(
      script,
      {
        ...{ script: code, setup: "setup", teardown: "teardown" },
        refresh: { every: 1, by: "by" },
      },
      `http://127.0.0.1:${address.port}`,
      new AbortController().signal,
    );
    await slow.promise;
    assert.equal(await scripted.end(), null);
    assert.deepEqual(seen, ["/slow", ...Array(20).fill("/bye")]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A script that is called by its names, and does not send. */
async function begun(text: string, parts: ScriptParts): Promise<ScriptedRun> {
  const code = { entry: "a.js", files: { "a.js": { text } }, parameters: {}, env: [] };
  const { signal } = new AbortController();
  const script = flowOf({ get: "/", before: "before" });
  return await beginScript(script, { script: code, ...parts }, "http://a", signal);
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waits = 0; !isSo(); waits++) {
    assert.ok(waits < 6_000, "it has taken a minute");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("a script that could not be evaluated is evaluated again for the next refresh", async () => {
  const readyMs = Date.now() + 1_000;
  const text = `if (Date.now() < ${readyMs}) throw new Error("too early");
export default { before() {}, by: () => 1 };`;
  const scripted = await begun(text, { refresh: { every: 1, by: "by" } });
  await until(() => (scripted.refreshes()?.done ?? 0) > 0);
  assert.equal(await scripted.end(), null);
  assert.ok((scripted.refreshes()?.failed ?? 0) > 0);
});

Deno.test("a refresh that ended the engine fails, and teardown has another one", async () => {
  const text = `export default {
  before() {},
  by() { [].includes.call({ length: 2 ** 53 - 1 }, 1); },
  teardown() {},
};`;
  const scripted = await begun(text, { refresh: { every: 1, by: "by" }, teardown: "teardown" });
  await until(() => (scripted.refreshes()?.failed ?? 0) > 0);
  assert.equal(await scripted.end(), null);
});

Deno.test("why teardown failed is told, and given", async () => {
  const told: string[] = [];
  const scripted = await begun("export default {\nbefore() {},\nteardown() { throw 'no'; } };", {
    teardown: "teardown",
    warn: (why) => told.push(why),
  });
  const why = await scripted.end();
  assert.match(why ?? "", /^teardown of a\.js failed: it threw "no" \(a\.js:3:\d+\)$/);
  assert.deepEqual(told, [why]);
});

const FAILING: readonly [name: string, setup: string, why: RegExp][] = [
  [
    "waits for what never comes",
    "setup() { return new Promise(() => {}); }",
    /^setup of a\.js failed: it waits for a promise that never settles \(a\.js:2:\d+\)$/,
  ],
  [
    "waits for it after a response",
    "async setup() { await fetch('http://127.0.0.1:1/').catch(() => {}); await new Promise(() => {}); }",
    /never settles \(a\.js:2:\d+\)$/,
  ],
  [
    "throws a text",
    "async setup() { await null; throw 'no'; }",
    /^setup of a\.js failed: it threw "no" \(a\.js:2:\d+\)$/,
  ],
  [
    "reads JSON that is nested too deep for the engine",
    "setup() { JSON.parse('['.repeat(1e6)); }",
    /^setup of a\.js failed: .*(?:stack overflow|call stack size exceeded) \(a\.js:2:\d+\)$/,
  ],
  [
    "gives more than workers take",
    `setup() { return "x".repeat(${LIMITS.scriptData.most}); }`,
    /failed: its result has 4000002 bytes as JSON, but the limit is 4000000 \(a\.js:2:\d+\)$/,
  ],
];

for (const [name, setup, why] of FAILING) {
  Deno.test(`a setup that ${name} fails at once, with the line where it begins`, async () => {
    const files = { "a.js": { text: `export default {\n${setup},\n};` } };
    const code = { entry: "a.js", files, parameters: {}, env: [] };
    const { signal } = new AbortController();
    await assert.rejects(
      beginScript(scriptOf({ get: "/" }), { script: code, setup: "setup" }, "http://a", signal),
      (error) => error instanceof TargetError && why.test(error.message),
    );
  });
}

Deno.test("a setup that is interrupted says once where it begins, also in a file with a space in its name", async () => {
  const text = "export default {\nasync setup({ url }) { await fetch(url); },\n};";
  const code = { entry: "a b.js", files: { "a b.js": { text } }, parameters: {}, env: [] };
  const interruption = new AbortController();
  const mayFetch = (): Promise<void> => Promise.resolve(interruption.abort());
  const parts = { script: code, setup: "setup", mayFetch };
  await assert.rejects(
    beginScript(scriptOf({ get: "/" }), parts, "http://127.0.0.1:1", interruption.signal),
    /^TargetError: setup of a b\.js failed: it was interrupted \(a b\.js:2:\d+\)$/,
  );
});
