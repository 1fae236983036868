import assert from "node:assert/strict";
import { endpointOf } from "../../base/net/endpoint.ts";
import { isHere, ownNames } from "../../runner/host/host_activity.ts";

const own = new Set(["bench-1", "192.0.2.7", "fe80::1"]);

const here = [
  ...["http://127.0.0.1:8080", "http://127.8.9.1", "https://localhost", "http://api.localhost:80"],
  ...["http://[::1]:8080", "http://[::ffff:127.0.0.1]:8080", "http://0.0.0.0:80"],
  ...["http://192.0.2.7:80", "http://bench-1"],
];
for (const origin of here) {
  Deno.test(`${origin} is on this machine`, () => {
    assert.ok(isHere(endpointOf(origin), own));
  });
}

for (const origin of ["http://192.0.2.8", "http://example.org", "http://localhost.example.org"]) {
  Deno.test(`${origin} is elsewhere`, () => {
    assert.ok(!isHere(endpointOf(origin), own));
  });
}

Deno.test("a unix socket is on this machine", () => {
  assert.ok(isHere({ path: "/run/app.sock" }, new Set()));
});

Deno.test("this machine knows its own name", () => {
  assert.ok(ownNames().has(Deno.hostname()));
});
