/**
 * The ways on which load reaches a server: each driver over plain TCP and over TLS, and the tcp driver over unix sockets.
 */
import { join } from "node:path";
import type { Endpoint } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { DRIVERS } from "../../runner/load/transports/drivers.ts";
import { certificates } from "../certificates.ts";
import { type Need, testWith } from "../needs.ts";

/** Where a server listens, as Deno.serve and Deno.listen take it. */
export type Place =
  | { readonly hostname: string; readonly port: 0 }
  | { readonly hostname: string; readonly port: 0; readonly cert: string; readonly key: string }
  | { readonly path: string };

export interface Way {
  readonly name: string;
  readonly driver: DriverName;
  /** Over HTTP/2, in which a load's pipeline are streams. */
  readonly http2?: true;
  /** What is not on every machine. */
  readonly needs: readonly Need[];
  /** Where a server listens that is to be reached so; each call gives a place of its own. */
  readonly place: (hostname?: string) => Place;
  readonly endpoint: (address: Deno.Addr) => Endpoint;
}

export const DRIVER_NAMES = (Object.keys(DRIVERS) as DriverName[]).filter((name) =>
  name !== "epoll" || Deno.build.os === "linux"
);

export const PLAIN_WAYS: readonly Way[] = DRIVER_NAMES.map((driver) => ({
  name: driver,
  driver,
  needs: [],
  place: (hostname = "127.0.0.1") => ({ hostname, port: 0 }),
  endpoint: addressOf,
}));

const UNIX: Way = {
  name: "tcp over a unix socket",
  driver: "tcp",
  needs: [],
  place: () => ({ path: join(Deno.makeTempDirSync(), "socket") }),
  endpoint: (address) => ({ path: (address as Deno.UnixAddr).path }),
};

const WAYS = [
  ...PLAIN_WAYS,
  ...DRIVER_NAMES.flatMap((driver) => [
    overTls(driver, `${driver} over TLS`, false),
    overTls(driver, `${driver} over unchecked TLS`, true),
  ]),
  UNIX,
];

/** The same over HTTP/2, to servers of Deno's own, which speak both. */
const HTTP2_WAYS = WAYS.map((way): Way => ({
  ...way,
  name: `${way.name}, over HTTP/2`,
  http2: true,
  endpoint: (address) => {
    const endpoint = way.endpoint(address);
    if ("path" in endpoint || endpoint.tls === undefined) return { ...endpoint, http2: true };
    return { ...endpoint, http2: true, tls: { ...endpoint.tls, alpn: "h2" } };
  },
}));

function overTls(driver: DriverName, name: string, insecure: boolean): Way {
  return {
    name,
    driver,
    needs: driver === "epoll" ? ["openssl", "libssl"] : ["openssl"],
    place: (hostname = "127.0.0.1") => ({ hostname, port: 0, ...certificates().signed }),
    endpoint: (address) => {
      const caCerts = insecure ? [] : [certificates().authority];
      return { ...addressOf(address), tls: { serverName: "localhost", insecure, caCerts } };
    },
  };
}

function addressOf(address: Deno.Addr): { hostname: string; port: number } {
  const { hostname, port } = address as Deno.NetAddr;
  return { hostname, port };
}

/** Of something that ways share: a test of each. */
export interface EveryWay {
  readonly test: (sentence: string, test: (way: Way) => Promise<void>) => void;
}

function every(ways: readonly Way[]): EveryWay {
  return {
    test: (sentence, test) => {
      for (const way of ways) testWith(way.needs, `${way.name}: ${sentence}`, () => test(way));
    },
  };
}

/** Over plain TCP. */
export const everyDriver = every(PLAIN_WAYS);
/** Over HTTP/1.1. */
export const everyWay = every(WAYS);
export const everyProtocol = every([...WAYS, ...HTTP2_WAYS]);
export const everyHttp2Way = every(HTTP2_WAYS);
