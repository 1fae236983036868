/**
 * The contract of a server in the field trials: its configuration and its commands. Each server has its own file, and a
 * line in `registry.ts`. All servers serve the same paths, either themselves or as a gateway to `origin.ts`, and log a
 * line with the path of each request; the fields `only` and `hasNoLog` mark the exceptions.
 */
import type { Command } from "../stage/programs.ts";

/**
 * The protocols over which a load can reach a server. "tls1.2" and "tls1.3" carry HTTP/1.1; "h2" is HTTP/2 over TLS.
 */
export const WAYS = ["http1", "h2c", "tls1.2", "tls1.3", "h2"] as const;
export type Way = typeof WAYS[number];

/**
 * A port for each kind of listener. A server that accepts both HTTP/1.1 and HTTP/2 on one port leaves the other port
 * unused.
 */
interface Ports {
  readonly http1: number;
  readonly h2c: number;
  /** The port for HTTP/1.1 over TLS, and for HTTP/2 if ALPN selects it. */
  readonly tls: number;
  /** The port for HTTP/1.1 over TLS 1.2 only. */
  readonly tls12: number;
  /** The port of a second server behind or beside this one. */
  readonly inner: number;
}
export type Port = keyof Ports;

/**
 * Where a server is started. At first its folder holds only the certificate with its key, and `www/` with the files
 * `small` and `big`.
 */
export interface Place {
  readonly folder: string;
  readonly ports: Ports;
  /** The port of the origin server, on 127.0.0.1. */
  readonly origin: number;
  readonly cert: string;
  readonly key: string;
  readonly log: string;
}

interface Difference {
  readonly how: string;
  /** The ways (protocols) over which the server misbehaves; absent: all. */
  readonly ways?: readonly Way[];
}

export interface FieldServer {
  readonly name: string;
  /** The programs that the server needs; it is skipped if one is missing. `install` says how to get them. */
  readonly needs: readonly string[];
  readonly install: string;
  /** A command whose output contains the version number. */
  readonly version: Command;
  /** The ways (protocols) that the server offers, and the port of each. */
  readonly ways: Partial<Record<Way, Port>>;
  /** Prepares the server's folder: writes the configuration, and builds the server if necessary. */
  readonly prepare?: (place: Place) => void | Promise<void>;
  readonly commands: (place: Place) => readonly Command[];
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
  /**
   * Makes the server replace its workers or reread its configuration while it serves. It is either a command, or a
   * signal to the first of the server's processes.
   */
  readonly reload?: ((place: Place) => Command) | Deno.Signal;
  /** The names of the situations in which the server is tried; absent: all. */
  readonly only?: readonly string[];
  /**
   * True if the server has no log in which requests could be counted. Requests are then sent without a query that
   * identifies them, which such a server would take for part of the file name.
   */
  readonly hasNoLog?: true;
  /**
   * By situation, how the server itself is known to misbehave. Its faults in these situations do not count against
   * Plateau.
   */
  readonly differs?: Readonly<Record<string, Difference>>;
}
