/** Resolves host names as the system does, hosts file included, and orders the addresses as they are to be dialed. */
import { lookup, type LookupAddress } from "node:dns"; // in Deno 2.6, node:dns/promises warns of a deprecated module
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { messageOf } from "../errors.ts";
import { hostAndPort } from "./listen.ts";

export interface Host {
  /** A name or an address, IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Addresses to dial; if absent, the name is looked up. */
  readonly addresses?: readonly string[];
}

export interface Address {
  readonly family: 4 | 6;
  /** IP address as the system writes it. */
  readonly ip: string;
  /** 4 or 16 bytes, in network order. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly port: number;
}

/** `127.0.0.1:8080` or `[::1]:8080`. */
export function addressText({ ip, port }: Address): string {
  return hostAndPort(ip, port);
}

/** All addresses of a host, at least one, or the reason why there are none. */
export async function resolve(
  { hostname, port, addresses }: Host,
): Promise<readonly Address[] | string> {
  try {
    const found = addresses ?? (isIP(hostname) ? [hostname] : await lookUp(hostname));
    return found.map((ip) => addressOf(ip, port));
  } catch (error) {
    return whyNotFound(hostname, error);
  }
}

function whyNotFound(hostname: string, error: unknown): string {
  const code: unknown = Reflect.get(Object(error), "code");
  if (code === "ENOTFOUND") return `there is no host named ${hostname}`;
  if (code === "EAI_AGAIN") return `no name server responds to the look-up of ${hostname}`;
  return `the look-up of ${hostname} failed: ${messageOf(error)}`;
}

/** Rejects if the name has no address. */
export async function lookUp(name: string): Promise<string[]> {
  const found = await new Promise<LookupAddress[]>((resolve, reject) =>
    lookup(
      name,
      { all: true, order: "verbatim" },
      (error, found) => error ? reject(error) : resolve(found),
    )
  );
  const addresses = found.map(({ address }) => address);
  return interleaved(reachable(isLocalhost(name) ? withLoopback(addresses) : addresses));
}

/**
 * Whether a name always means this machine, in both address families (RFC 6761 §6.3), whatever the hosts file lists.
 */
function isLocalhost(name: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(name);
}

function withLoopback(addresses: readonly string[]): string[] {
  return [...new Set([...addresses, "127.0.0.1", "::1"])];
}

/** Leaves out addresses of a family that no interface of this machine has, unless no others remain. */
function reachable(addresses: readonly string[]): readonly string[] {
  const families = ownFamilies();
  const usable = addresses.filter((ip) => families.has(isIP(ip)));
  return usable.length > 0 ? usable : addresses;
}

function ownFamilies(): ReadonlySet<number> {
  try {
    const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    return new Set(own.map(({ address }) => isIP(address)));
  } catch { // a sandbox may hide the interfaces
    return new Set([4, 6]);
  }
}

/** Alternates between IPv4 and IPv6 addresses, beginning with the family that the system prefers (RFC 8305 §4). */
export function interleaved(addresses: readonly string[]): string[] {
  const [preferred, other] = [true, false].map((isFirst) =>
    addresses.filter((ip) => (isIP(ip) === isIP(addresses[0])) === isFirst)
  );
  const rounds = Array.from({ length: Math.max(preferred.length, other.length) }, (_, i) => i);
  return rounds.flatMap((i) => [...preferred.slice(i, i + 1), ...other.slice(i, i + 1)]);
}

function addressOf(ip: string, port: number): Address {
  return isIP(ip) === 6
    ? { family: 6, ip, bytes: ipv6Bytes(ip), port }
    : { family: 4, ip, bytes: Uint8Array.from(ip.split("."), Number), port };
}

/**
 * Parses an IPv6 address (RFC 4291 §2.2): groups of 16 bits, one run of zeros as `::`, the last 32 bits perhaps as
 * IPv4.
 */
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
