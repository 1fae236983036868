/**
 * Decides which hosts an agent or an MCP server may load: only those that its own command line names, whatever a job or
 * a client asks for.
 */
import { BlockList, isIP } from "node:net";
import * as z from "zod";
import { messageOf } from "../../../base/errors.ts";
import type { Endpoint } from "../../../base/net/endpoint.ts";
import { quotedOpenly } from "../../../base/secrets.ts";
import { lookUp } from "../../../base/net/resolve.ts";

/** Hosts that always mean this machine. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.0/8", "::1"];

/** The word in a list of allowed hosts that allows unix sockets. */
const UNIX = "unix";
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?$/i;

type AddressFamily = "ipv4" | "ipv6";

/** An address or a network of addresses, or null when `text` is neither. */
function networkOf(text: string): { address: string; bits: number; family: AddressFamily } | null {
  const [written, bitsText, ...rest] = text.split("/");
  const address = written.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return null;
  const most = version === 6 ? 128 : 32;
  const bits = bitsText === undefined ? most : /^\d{1,3}$/.test(bitsText) ? Number(bitsText) : NaN;
  return bits >= 0 && bits <= most ? { address, bits, family: familyOf(address) } : null;
}

function familyOf(address: string): AddressFamily {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** A host in a form that `--allow` accepts. */
export const allowedHost = z.string().trim().refine(
  // Digits and dots that form no address are not taken for a name either.
  (text) => networkOf(text) !== null || (NAME.test(text) && !/^[\d.]+$/.test(text)),
  {
    error: ({ input }) =>
      `Cannot allow ${quotedOpenly(input)}: write a host's name or address without a port, ` +
      `a network such as 10.0.0.0/8, or ${UNIX}`,
  },
);

/** All addresses of a name, as the system resolves names. */
type Resolve = (name: string) => Promise<readonly string[]>;

type Admission =
  /** @property refusal Why the endpoint is not loaded, as a sentence. */
  | { readonly refusal: string }
  /** @property addresses The checked addresses, to be dialed; null if the endpoint is dialed as given. */
  | { readonly addresses: readonly string[] | null };

/** The program that enforces a list, and the flag that sets it. */
interface Keeper {
  readonly who: string;
  readonly flag: string;
}

const AGENT: Keeper = { who: "this agent", flag: "--allow" };

export class AllowList {
  readonly #names = new Set<string>();
  readonly #networks = new BlockList();

  /**
   * @param hosts Each is an `allowedHost`.
   * @param resolve Null: names are matched only as names, not by their addresses.
   */
  constructor(
    readonly hosts: readonly string[],
    private readonly resolve: Resolve | null = lookUp,
    private readonly keeper: Keeper = AGENT,
  ) {
    for (const host of hosts) {
      const network = networkOf(host);
      if (network === null) this.#names.add(nameOf(host));
      else this.#networks.addSubnet(network.address, network.bits, network.family);
    }
  }

  /**
   * Whether the endpoint may be loaded. If a name is allowed because of its addresses, all of them must be allowed, and
   * the load dials these: the name is not looked up again, because the next look-up may give other addresses (DNS
   * rebinding).
   */
  async admit(endpoint: Endpoint): Promise<Admission> {
    if ("path" in endpoint) return this.#decide(this.#names.has(UNIX), UNIX, "unix sockets");
    const { hostname, addresses: given = isIP(hostname) ? [hostname] : null } = endpoint;
    if (given !== null) {
      const stranger = given.find((address) => !this.#holds(address));
      return stranger === undefined ? { addresses: null } : this.#not(stranger, stranger);
    }
    if (this.#names.has(nameOf(hostname))) return { addresses: null };
    if (this.resolve === null) return this.#not(hostname, hostname);
    try {
      const addresses = await this.resolve(hostname);
      const stranger = addresses.find((address) => !this.#holds(address));
      if (stranger !== undefined) return this.#not(hostname, `${hostname}, which is ${stranger}`);
      return addresses.length > 0 ? { addresses } : unknown(hostname, "it has none");
    } catch (error) {
      return unknown(hostname, messageOf(error));
    }
  }

  #decide(may: boolean, host: string, what: string): Admission {
    return may ? { addresses: null } : this.#not(host, what);
  }

  #holds(address: string): boolean {
    return this.#networks.check(address.replace(/%.*$/s, ""), familyOf(address));
  }

  #not(host: string, what: string): Admission {
    const { who, flag } = this.keeper;
    const refusal = `Cannot load ${what}: ${who} may load only ${this.hosts.join(", ")}; ` +
      `to allow more, start ${who} with ${flag} ${host}`;
    return { refusal };
  }
}

function unknown(hostname: string, why: string): Admission {
  return { refusal: `Cannot load ${hostname}, because its address could not be found: ${why}` };
}

/** A host name in its canonical form: in lower case and without the root's dot (RFC 1034 §3.1). */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
