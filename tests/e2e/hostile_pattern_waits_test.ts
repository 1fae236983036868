/** A pattern that JavaScript's RegExp would try for hours, over the body of a server that means it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { emptyFolder, plateau } from "./plateau.ts";

Deno.test("a hostile body holds up no pattern: the load ends in time, and its checks fail", async () => {
  let answers = 0;
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const hostile = "a".repeat(10_000) + "!";
  await using server = Deno.serve(quiet, () => new Response(answers++ === 0 ? "a" : hostile));
  using folder = emptyFolder();
  const file = join(folder.path, "a.json");
  const experiment = {
    name: "hostile",
    targets: { hostile: { url: `http://127.0.0.1:${server.addr.port}` } },
    scenarios: { visit: { flow: [{ get: "/", capture: { a: { pattern: "(a+)+$" } } }] } },
    load: { connections: 2, duration: "1s", workers: 1 },
    repeat: 1,
  };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const { code, stderr } = await plateau(["run", file, "--out", folder.path]);
  const text = readFileSync(join(folder.path, "results.json"), "utf8");
  const [{ requests, checks, elapsedS, generator }] = results.parse(JSON.parse(text)).runs;
  assert.equal(code, 1, stderr);
  assert.ok(requests.completed > 10, `${requests.completed}`);
  assert.deepEqual(checks, { passed: 0, failed: requests.completed });
  // A worker that a pattern holds up, as RegExp does for hours, does not come to its deadline, and is ended.
  assert.deepEqual([elapsedS, generator.ended], [1, undefined]);
});
