import assert from "node:assert/strict";
import { getPriority } from "node:os";
import { endpointOf } from "../../base/net/endpoint.ts";
import { hostWatch } from "../../runner/host/host_watch.ts";
import { serve } from "../e2e/plateau.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

withLinux.test("what a target gets of the cores is seen, though it was started by others", async () => {
  await using api = await serve("api");
  const end = (await hostWatch(endpointOf(api.origin), true))();
  for (let i = 0; i < 20; i++) await (await fetch(`${api.origin}/fib`)).body?.cancel();
  const { target, hostActivity } = end();
  assert.ok(target !== undefined && target.cpu > 0, JSON.stringify(target));
  assert.ok(target.processes >= 1 && (target.cores ?? 0) >= 1 && target.waiting >= 0);
  assert.equal(target.nice, getPriority());
  assert.ok(typeof hostActivity.others === "number" && hostActivity.others >= 0);
});

withLinux.test("nothing is said of a server in the generator's own process, nor of others then", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("here"),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const { target, hostActivity } = (await hostWatch(endpointOf(origin), true))()();
  assert.equal(target, undefined);
  assert.equal(hostActivity.others, undefined);
});

withLinux.test("of a target on another machine nothing is said, but of who else is on this one", async () => {
  const { target, hostActivity } = (await hostWatch({ hostname: "10.9.9.9", port: 80 }, false))()();
  assert.equal(target, undefined);
  assert.notEqual(hostActivity.others, undefined);
});
