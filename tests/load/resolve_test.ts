import assert from "node:assert/strict";
import { addressText, interleaved, resolve } from "../../base/net/resolve.ts";
import { Route } from "../../base/net/route.ts";

const ORDERS: [sentence: string, found: string[], dialed: string[]][] = [
  [
    "beginning with the family that the system prefers",
    ["::1", "::2", "::3", "127.0.0.1"],
    ["::1", "127.0.0.1", "::2", "::3"],
  ],
  ["also where that is IPv4", ["127.0.0.1", "127.0.0.2", "::1"], ["127.0.0.1", "::1", "127.0.0.2"]],
  ["in the system's order within a family", ["127.0.0.2", "127.0.0.1"], ["127.0.0.2", "127.0.0.1"]],
  ["where there is none", [], []],
];
for (const [sentence, found, dialed] of ORDERS) {
  Deno.test(`the families of addresses take turns, ${sentence}`, () => {
    assert.deepEqual(interleaved(found), dialed);
  });
}

async function routeTo(...addresses: string[]): Promise<Route> {
  const found = await resolve({ hostname: "named.invalid", port: 80, addresses });
  assert.ok(typeof found !== "string");
  return new Route(found);
}

Deno.test("addresses are dialed as they are given, and written as URLs have them", async () => {
  const { addresses } = await routeTo("::1", "127.0.0.1");
  assert.deepEqual(addresses.map(addressText), ["[::1]:80", "127.0.0.1:80"]);
});

Deno.test("the address that connected last is tried first, and the others after it", async () => {
  const route = await routeTo("127.0.0.1", "127.0.0.2", "127.0.0.3");
  assert.deepEqual(route.order(), [0, 1, 2]);
  route.connected(1);
  assert.deepEqual(route.order(), [1, 2, 0]);
});

Deno.test("a failure names the addresses in one order, and the first of many", async () => {
  const route = await routeTo(...[1, 2, 3, 4, 5, 6].map((last) => `127.0.0.${last}`));
  const reasons = new Map([[1, "no route to host"], [0, "connection refused"]]);
  assert.equal(
    route.failure(reasons),
    "127.0.0.1:80: connection refused; 127.0.0.2:80: no route to host",
  );
  const all = new Map(route.order().map((index) => [index, "connection refused"]));
  assert.match(route.failure(all), /; 127\.0\.0\.4:80: connection refused; and 2 more addresses$/);
});

Deno.test("a name without an address is told by its name", async () => {
  const said = await resolve({ hostname: "no-such-host.invalid", port: 80 });
  assert.match(String(said), /no-such-host\.invalid/);
});
