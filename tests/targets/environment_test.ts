import assert from "node:assert/strict";
import { startTarget } from "../../targets/launchers.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { launchContext, program, targetFrom } from "./fixtures/launch_context.ts";

Deno.test("a target sees a clean environment, what the file says, and nothing else", async () => {
  Deno.env.set("SOME_SECRET", "hidden");
  const env = { GREETING: "hello {port} at {host}" };
  const lines = targetFrom({ command: program("serve"), env });
  const target = await startTarget(lines, launchContext({ redisUrl: "redis://r:1" }));
  const seen = await (await fetch(target.origin)).json();
  await target.stop();
  const port = new URL(target.origin).port;
  const { GREETING, PORT, REDIS_URL, ...rest } = seen;
  assert.deepEqual([GREETING, PORT, REDIS_URL], [
    `hello ${port} at 127.0.0.1`,
    port,
    "redis://r:1",
  ]);
  assert.ok(rest.PATH);
  const inherited = new Set([
    ...["PATH", "HOME", "LANG", "TMPDIR", "SystemRoot", "USERPROFILE", "TEMP", "TMP"],
  ]);
  assert.deepEqual(Object.keys(rest).filter((name) => !inherited.has(name)), []);
});

Deno.test("instances that join later never have the same port, whatever chance draws", () => {
  const draws = (): () => number => {
    let drawn = 0;
    return () => drawn++ / 1_000;
  };
  const port = freePort({ draw: draws() });
  assert.notEqual(freePort({ others: [port], draw: draws() }), port);
});
