import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { needing } from "../needs.ts";
import { emptyFolder, type Ended, exits, plateau } from "./plateau.ts";

const withRedis = needing("redis");
const withLinux = needing("linux");

/** Whether this machine has a Redis where Plateau looks for one; some tests are about its absence. */
const found = await Deno.connect({ hostname: "127.0.0.1", port: 6379 })
  .then((connection) => (connection.close(), true), () => false);

const NO_PROGRAMS = { PATH: "/nonexistent" };

/** Runs one cell that needs Redis and one that does not. */
async function runCells(
  options: { optional?: string[]; args?: string[]; env?: Record<string, string> },
): Promise<Ended & { saved: Results | null }> {
  using folder = emptyFolder();
  const file = join(folder.path, "cells.json");
  const experiment = {
    name: "cells",
    targets: { api: { app: "api" } },
    scenarios: { static: { get: "/static" }, redis: { get: "/redis", needs: ["redis"] } },
    load: { connections: 2, requests: 50 },
    repeat: 1,
    optional: options.optional ?? [],
  };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const args = ["run", file, "--out", folder.path, ...options.args ?? []];
  const ended = await plateau(args, { env: options.env });
  const saved = join(folder.path, "results.json");
  return {
    ...ended,
    saved: existsSync(saved) ? results.parse(JSON.parse(readFileSync(saved, "utf8"))) : null,
  };
}

withRedis.test("cells that need Redis are measured with one that is found or started", async () => {
  const { saved } = await exits(0, runCells({}));
  assert.match(saved?.redis ?? "", found ? /found/ : /private/);
  assert.deepEqual(saved?.runs.map(({ scenario }) => scenario).sort(), ["redis", "static"]);
  assert.ok(saved?.runs.every(({ status, requests }) => status["200"] === requests.completed));
});

Deno.test({
  name:
    "without Redis its cells are skipped with one line; exit code 0 where it is optional, else 3",
  ignore: found,
  fn: async () => {
    const outcomes = [{ optional: ["redis"], code: 0, kind: "skipped" }, {
      code: 3,
      kind: "failed",
    }];
    for (const { optional, code, kind } of outcomes) {
      const ended = await exits(code, runCells({ optional, env: NO_PROGRAMS }));
      assert.match(ended.stderr, /redis/i);
      assert.deepEqual(ended.saved?.runs.map(({ scenario }) => scenario), ["static"]);
      const missing = ended.saved?.missing.map(({ scenario, kind }) => ({ scenario, kind }));
      assert.deepEqual(missing, [{ scenario: "redis", kind }]);
    }
  },
});

Deno.test("a Redis that was given and does not answer is exit code 3, optional or not", async () => {
  const args = ["--redis", "redis://127.0.0.1:1"];
  const { stderr } = await exits(3, runCells({ optional: ["redis"], args }));
  assert.match(stderr, /127\.0\.0\.1:1/);
});

const LACKING = `name: lacking
targets: { a: { app: api }, n: { nginx: { proxy: a } } }
scenarios:
  redis: { get: /redis, targets: [a] }
  static: { get: /static }
load: { connections: 1, requests: 20 }
repeat: 2
`;

for (
  const [kind, optional, right] of [
    ["skipped", "optional: [redis, nginx]\n", 0],
    ["failed", "optional: [frameworks]\n", 3],
  ] as const
) {
  withLinux.test(`a Redis and an nginx that end at once leave their cells ${kind}`, async () => {
    using folder = emptyFolder();
    const file = join(folder.path, "lacking.yaml");
    Deno.writeTextFileSync(file, LACKING + optional);
    for (const program of ["redis-server", "valkey-server", "nginx"]) {
      const path = join(folder.path, program);
      Deno.writeTextFileSync(path, "#!/bin/sh\necho out of luck >&2\nexit 1\n", { mode: 0o755 });
    }
    const env = { PATH: `${folder.path}:${Deno.env.get("PATH")}` };
    const args = ["run", file, "--out", join(folder.path, "out")];
    const { stderr } = await exits(right, args, { env });
    assert.match(
      stderr,
      new RegExp(`^${kind}: static, n: Cannot start target n: it exited .*\n +out of luck$`, "m"),
    );
    const path = join(folder.path, "out/results.json");
    const { runs, missing } = results.parse(JSON.parse(Deno.readTextFileSync(path)));
    const kinds = missing.filter(({ target }) => target === "n").map((one) => one.kind);
    assert.deepEqual(kinds, [kind]);
    assert.equal(runs.filter(({ scenario }) => scenario === "static").length, 2);
    if (found) return; // where Plateau looks for one, and needs none of its own
    assert.match(
      stderr,
      new RegExp(`^${kind}: redis, a: Cannot start a private Redis: it .*\\n +out of luck$`, "m"),
    );
  });
}
