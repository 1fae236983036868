/**
 * Name → address, as the system resolves names (hosts file included); the first address counts.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { TcpEndpoint } from "./endpoint.ts";

export interface Address {
  readonly family: 4 | 6;
  /** 4 or 16 bytes, in network order. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly port: number;
}

/** The address, or why there is none. */
export async function resolve(
  { hostname, port }: Pick<TcpEndpoint, "hostname" | "port">,
): Promise<Address | string> {
  try {
    return addressOf(isIP(hostname) ? hostname : (await lookup(hostname)).address, port);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function addressOf(address: string, port: number): Address {
  return isIP(address) === 6
    ? { family: 6, bytes: ipv6Bytes(address), port }
    : { family: 4, bytes: Uint8Array.from(address.split("."), Number), port };
}

/** RFC 4291 §2.2: groups of 16 bits, one run of zero groups as `::`, the last 32 bits perhaps as IPv4. */
function ipv6Bytes(address: string): Uint8Array<ArrayBuffer> {
  const [head, tail] = address.replace(/%.*$/s, "").split("::").map(groupsOf);
  const zeros = tail === undefined ? [] : new Array(8 - head.length - tail.length).fill(0);
  const groups = [...head, ...zeros, ...(tail ?? [])];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [parseInt(group, 16)];
    const [a, b, c, d] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
