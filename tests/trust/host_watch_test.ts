import assert from "node:assert/strict";
import { getPriority } from "node:os";
import { endpointOf } from "../../base/net/endpoint.ts";
import { hostWatch } from "../../runner/host/host_watch.ts";
import { serve } from "../e2e/plateau.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

withLinux.test("what a target gets of the cores is seen, though it was started by others", async () => {
  await using api = await serve("api");
  const end = (await hostWatch(endpointOf(api.origin), true))(Date.now());
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
  const { target, hostActivity } = (await hostWatch(endpointOf(origin), true))(Date.now())();
  assert.equal(target, undefined);
  assert.equal(hostActivity.others, undefined);
});

withLinux.test("of a target on another machine nothing is said, but of who else is on this one", async () => {
  const begin = await hostWatch({ hostname: "10.9.9.9", port: 80 }, false);
  const { target, hostActivity } = begin(Date.now())();
  assert.equal(target, undefined);
  assert.notEqual(hostActivity.others, undefined);
});

withLinux.test("a target that takes turns has its own use alone", async () => {
  await using idle = await serve("api");
  await using busy = await serve("api");
  const [own, partner] = [idle, busy].map(({ origin }) => endpointOf(origin));
  const [begin, beginBusy] = [
    await hostWatch(own, true, { partner, pids: () => [] }),
    await hostWatch(partner, true, { partner: own, pids: () => [] }),
  ];
  const ends = [begin(Date.now()), beginBusy(Date.now())];
  for (let i = 0; i < 20; i++) await (await fetch(`${busy.origin}/fib`)).body?.cancel();
  const [seen, seenBusy] = ends.map((end) => end());
  assert.ok(seen.target && seenBusy.target);
  assert.ok(seen.target.cpu < seenBusy.target.cpu / 2, `${seen.target.cpu}`);
});

withLinux.test("a server that responds in both sides' turns has no use that is one side's", async () => {
  await using api = await serve("api");
  const endpoint = endpointOf(api.origin);
  const begin = await hostWatch(endpoint, true, { partner: endpoint, pids: () => [] });
  const { target, hostActivity } = begin(Date.now())();
  assert.equal(target, undefined);
  assert.ok(hostActivity && "others" in hostActivity, "neighbours are still seen");
});
