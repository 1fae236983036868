/** `plateau versus` on two servers that run. */
import assert from "node:assert/strict";
import { calibratedCache } from "./caches.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";
import { serverOf } from "./working_server.ts";

Deno.test("versus ends with 3 where a server is not there, and refuses what cannot take turns", async () => {
  using folder = emptyFolder();
  const env = calibratedCache(folder.path);
  await using there = await serverOf(folder.path);
  const { stderr } = await exits(3, ["versus", there.url, "http://127.0.0.1:9/"], { env });
  assert.match(stderr, /127\.0\.0\.1:9/);
  await exits(2, ["versus", there.url, there.url, "--requests", "10"], { env });
  await exits(2, ["versus", there.url], { env });
});

Deno.test("versus does not call a server worse that is equal", async () => {
  using folder = emptyFolder();
  const env = calibratedCache(folder.path);
  await using one = await serverOf(folder.path, { waitMs: 4 });
  await using same = await serverOf(folder.path, { waitMs: 4 });
  const flags = ["-c", "4", "--budget", "8s", "--margin", "20%"];
  const { code, stdout } = await plateau(["versus", one.url, same.url, ...flags], { env });
  assert.ok(code === 0 || code === 5, `${code}: ${stdout}`); // a busy machine may decide nothing
});
