/**
 * What a server of the field is: its configuration and its command, one file a member, one line in `registry.ts`. All of
 * them serve the same paths, by themselves or as a gateway to `origin.ts`, and write a line with the request's path for
 * each request.
 */
import type { Command } from "../stage/programs.ts";

/** How a load speaks to it. */
export const WAYS = ["http1", "h2c", "tls1.2", "tls1.3", "h2"] as const;
export type Way = typeof WAYS[number];

/** What listens where; a server that speaks HTTP/1.1 and HTTP/2 on one port leaves the other free. */
interface Ports {
  readonly http1: number;
  readonly h2c: number;
  /** HTTP/1.1 and, by ALPN, HTTP/2. */
  readonly tls: number;
  /** HTTP/1.1 over TLS 1.2 alone. */
  readonly tls12: number;
  /** For whatever stands behind it, or beside it. */
  readonly inner: number;
}
export type Port = keyof Ports;

/** Where a server is started: its folder is empty but for the certificate and `www/`, which holds `small` and `big`. */
export interface Place {
  readonly folder: string;
  readonly ports: Ports;
  /** The port of the origin, on 127.0.0.1. */
  readonly origin: number;
  readonly cert: string;
  readonly key: string;
  readonly log: string;
}

interface Difference {
  readonly how: string;
  /** All when absent. */
  readonly ways?: readonly Way[];
}

export interface FieldServer {
  readonly name: string;
  /** Programs without which it is skipped, and how to get them. */
  readonly needs: readonly string[];
  readonly install: string;
  /** Prints its version somewhere in the first line that has one. */
  readonly version: Command;
  /** The ways that it offers, and the port of each. */
  readonly ways: Partial<Record<Way, Port>>;
  /** Prepares its folder: writes its configuration, builds it. */
  readonly prepare?: (place: Place) => void | Promise<void>;
  readonly commands: (place: Place) => readonly Command[];
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
  /** Replaces its workers, or reads its configuration again, while it serves: a command, or a signal to its first process. */
  readonly reload?: ((place: Place) => Command) | Deno.Signal;
  /** The situations in which it is tried, where it can't be in all. */
  readonly only?: readonly string[];
  /** It counts no requests, and takes a query for a part of the file's name. */
  readonly hasNoLog?: true;
  /** Situations in which the server itself is wrong, and how: failures are right there. */
  readonly differs?: Readonly<Record<string, Difference>>;
}
