/** Validates a host to listen on: an address of this machine, or a name that resolves to one. */
import * as z from "zod";
import { messageOf } from "../errors.ts";
import { originAt } from "./listen.ts";
import { quotedOpenly } from "../secrets.ts";
import { unbracketed } from "./endpoint.ts";

/** The most addresses that an error lists. */
const MOST_ADDRESSES = 4;

/**
 * A host to listen on, normalized as in URLs. An IPv6 address may be given with brackets, which are removed. Tries to
 * listen on the host, to check that it belongs to this machine.
 */
export const listenHost = z.string().transform((text, context): string => {
  const host = hostOf(text);
  const wrong = host === null
    ? "write an address or a name of this machine, without a port"
    : whyNot(host);
  if (host !== null && wrong === null) return host;
  context.addIssue(`Cannot listen on ${quotedOpenly(text)}: ${wrong}`);
  return z.NEVER;
});

/** The normalized host, without brackets; null if the text is not just a host, but has a port, for example. */
function hostOf(text: string): string | null {
  const url = URL.parse(originAt(unbracketed(text), 80));
  const isAlone = url !== null && url.href === `http://${url.hostname}/`;
  return isAlone ? unbracketed(url.hostname) : null;
}

/**
 * The wildcard addresses, which stand for every address of this machine: in IPv4, in IPv6, and in IPv4 mapped to IPv6.
 */
const EVERYWHERE = new Set(["0.0.0.0", "::", "::ffff:0:0"]);

function whyNot(host: string): string | null {
  if (EVERYWHERE.has(host)) return `the load generators need one address to connect to; ${fix()}`;
  try {
    Deno.listen({ hostname: host, port: 0 }).close();
    return null;
  } catch (error) {
    return `${reasonOf(error)}; ${fix()}`;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrNotAvailable) return "it is not an address of this machine";
  const reason = messageOf(error);
  return /look ?up/.test(reason) ? "there is no host of that name" : reason;
}

function fix(): string {
  return `write an address of this machine, such as ${ownAddresses().join(", ")}`;
}

/**
 * Addresses of this machine that an error lists. None is link-local; those that other machines can reach come first.
 */
function ownAddresses(): string[] {
  const addresses = Deno.networkInterfaces().map(({ address }) => address)
    .filter((address) => !OF_ONE_LINK.test(address));
  const loopback = addresses.filter((address) => ONLY_HERE.test(address));
  const others = addresses.filter((address) => !ONLY_HERE.test(address));
  return [...others, ...loopback].slice(0, MOST_ADDRESSES);
}

/** Link-local addresses (RFC 3927, RFC 4291 §2.5.6), each of which is valid only on the link of one interface. */
const OF_ONE_LINK = /^(?:fe80:|169\.254\.)/i;
const ONLY_HERE = /^(?:127\.|::1$)/;
