/** Whether target and generator run on the same machine, and so take cores from each other. */
import type { Endpoint } from "../../base/net/endpoint.ts";

/** @param own Addresses of this machine's interfaces, and its name. */
export function isHere(endpoint: Endpoint, own: ReadonlySet<string>): boolean {
  if ("path" in endpoint) return true;
  const { hostname } = endpoint;
  return LOOPBACK.test(hostname) || own.has(hostname);
}

/** RFC 1122 §3.2.1.3 and RFC 4291 §2.5.3, RFC 6761 §6.3; nobody else answers on 0.0.0.0 and ::. */
const LOOPBACK =
  /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:7f[\da-f]{2}:[\da-f]+|(?:.+\.)?localhost|0\.0\.0\.0|::)$/i;

/** How this machine is called by itself and by others. */
export function ownNames(): ReadonlySet<string> {
  return new Set([Deno.hostname(), ...Deno.networkInterfaces().map(({ address }) => address)]);
}
