import assert from "node:assert/strict";
import type { Address } from "../../base/net/resolve.ts";
import { libc } from "../../base/system/libc.ts";
import { EpollSockets } from "../../runner/load/transports/epoll_sockets.ts";
import { needing } from "../needs.ts";

const { test } = needing("portrange");
const DIALS = 64;
const IPS = {
  IPv4: { family: 4, ip: "127.0.0.1", bytes: Uint8Array.of(127, 0, 0, 1) },
  IPv6: { family: 6, ip: "::1", bytes: Uint8Array.of(...new Array(15).fill(0), 1) },
} as const;

/** The local ports of so many connections, of which the first `few` leave half of the ports to others. */
async function portsOfDials(to: Omit<Address, "port">, few: number): Promise<number[]> {
  using listener = Deno.listen({ hostname: to.ip, port: 0 });
  const { port } = listener.addr;
  const sockets = new EpollSockets(libc(), [[{ ...to, port }]], DIALS, few);
  const ports: number[] = [];
  try {
    for (let slot = 0; slot < DIALS; slot++) {
      assert.equal(sockets.dial(slot, 0), null);
      using accepted = await listener.accept();
      ports.push(accepted.remoteAddr.port);
    }
  } finally {
    for (let slot = 0; slot < DIALS; slot++) sockets.close(slot);
    libc().close(sockets.epoll);
  }
  return ports;
}

const oddOf = (ports: readonly number[]): number => ports.filter((port) => port % 2 === 1).length;

for (const [name, to] of Object.entries(IPS)) {
  test(`${name}: many dials take ports of both parities, so none looks through half of them first`, async () => {
    const odd = oddOf(await portsOfDials(to, 0));
    assert.ok(odd > 0 && odd < DIALS, `${odd} of ${DIALS} ports are odd`);
  });

  test(`${name}: a load with few dials leaves the ports of one parity to servers`, async () => {
    const odd = oddOf(await portsOfDials(to, DIALS));
    assert.ok(odd === 0 || odd === DIALS, `${odd} of ${DIALS} ports are odd`);
  });
}
