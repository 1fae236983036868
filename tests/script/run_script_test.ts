/** The functions of a script around a run, against a server that holds its responses. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { beginScript } from "../../runner/script/run_script.ts";
import { flowOf } from "../scenarios/made_script.ts";

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
