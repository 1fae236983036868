/**
 * The contract of a server in the field trials: its configuration and its command. Each has one file, and one line in
 * `registry.ts`. All of them serve the same paths, themselves or as a gateway to `origin.ts`, and log a line with the
 * path of each request.
 */
import type { Command } from "../stage/programs.ts";

/** The ways in which a load speaks to a server. */
export const WAYS = ["http1", "h2c", "tls1.2", "tls1.3", "h2"] as const;
export type Way = typeof WAYS[number];

/** The port of each kind of listener; a server that speaks HTTP/1.1 and HTTP/2 on one port leaves the other unused. */
interface Ports {
  readonly http1: number;
  readonly h2c: number;
  /** The port for HTTP/1.1 and, by ALPN, HTTP/2. */
  readonly tls: number;
  /** The port for HTTP/1.1 over TLS 1.2 only. */
  readonly tls12: number;
  /** The port of a server behind or beside this one. */
  readonly inner: number;
}
export type Port = keyof Ports;

/**
 * The place in which a server is started. Its folder contains only the certificate and `www/`, with the files `small`
 * and `big`.
 */
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
  /** The ways in which the server differs; absent: all. */
  readonly ways?: readonly Way[];
}

export interface FieldServer {
  readonly name: string;
  /** The programs without which the server is skipped, with instructions for getting them. */
  readonly needs: readonly string[];
  readonly install: string;
  /** A command that prints the version in the first line with a number. */
  readonly version: Command;
  /** The ways that the server offers, with the port of each. */
  readonly ways: Partial<Record<Way, Port>>;
  /** Prepares the server's folder: writes its configuration, builds it. */
  readonly prepare?: (place: Place) => void | Promise<void>;
  readonly commands: (place: Place) => readonly Command[];
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
  /**
   * Makes the server replace its workers or reread its configuration while it serves: a command, or a signal to its
   * first process.
   */
  readonly reload?: ((place: Place) => Command) | Deno.Signal;
  /** The situations in which the server is tried; absent: all. */
  readonly only?: readonly string[];
  /**
   * Whether the server has no log by which to count requests. They are then sent without a query, which the server
   * would take for a part of the file's name.
   */
  readonly hasNoLog?: true;
  /** The situations in which the server itself is known to be wrong, and how; faults there do not count. */
  readonly differs?: Readonly<Record<string, Difference>>;
}
