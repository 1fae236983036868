/**
 * HTTP/2 over another driver's connections: each has some places, and a load sees a place as a connection of its own, with
 * one request at a time. Requests and responses are those of HTTP/1.1 for the load, so whatever it does with them it
 * does here too: checks, captures, cookies, redirects.
 */
import { asHttp2, type Http2Request } from "../../../../base/http/http2/request.ts";
import type {
  Driver,
  EventHandler,
  RefusedBy,
  SocketDriver,
  SocketHandler,
} from "../../engine/driver.ts";
import { ResponseOctets } from "./response_octets.ts";
import { SharedConnection } from "./shared_connection.ts";

type Scheme = "http" | "https";

interface Http2Setting {
  readonly connections: number;
  /** At a time on each. */
  readonly streams: number;
  /** Of the hosts, each with an equal share of the connections, in their order. */
  readonly schemes: readonly Scheme[];
}

export class Http2Driver implements Driver {
  readonly tls: Driver["tls"];
  readonly dialTurns: Driver["dialTurns"];
  #over: Http2Handler | null = null;

  constructor(private readonly driver: SocketDriver, private readonly setting: Http2Setting) {
    this.tls = driver.tls;
    this.dialTurns = driver.dialTurns;
  }

  async run(handler: EventHandler): Promise<void> {
    this.#over = new Http2Handler(this.driver, handler, this.setting);
    await this.driver.run(this.#over);
  }

  get fewestStreams(): number {
    return this.#over?.fewestStreams ?? Infinity;
  }

  joins(slot: number): boolean {
    return this.#over?.connectionOf(slot).isThere ?? false;
  }

  connect(slot: number): void {
    this.#over?.touched(slot).connect(this.#placeOf(slot));
  }

  // hot
  send(slot: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#over?.send(slot, this.#placeOf(slot), bytes);
  }

  cancel(slot: number): boolean {
    return this.#over?.cancel(slot, this.#placeOf(slot)) ?? false;
  }

  /** A stream whose response comes early is reset, and its place is free. */
  isSent(): boolean {
    return true;
  }

  close(slot: number): void {
    this.#over?.touched(slot).close(this.#placeOf(slot));
  }

  #placeOf(slot: number): number {
    return Math.floor(slot / this.setting.connections);
  }
}

/** What the other driver reports, and what it comes to on the places. */
class Http2Handler implements SocketHandler {
  readonly punctual: boolean;
  readonly #connections: readonly SharedConnection[];
  readonly #octets: ResponseOctets;
  /** Requests as they go by HTTP/2, by their octets in HTTP/1.1. */
  readonly #requests = new WeakMap<Uint8Array, Http2Request>();
  /** Connections to which something was done since they were last settled. */
  readonly #touched = new Set<SharedConnection>();
  /** Connections that wait for a word of their server, and are settled again when they have waited long enough. */
  readonly #probing = new Set<SharedConnection>();
  #nowUs = 0;

  constructor(
    driver: SocketDriver,
    private readonly handler: EventHandler,
    private readonly setting: Http2Setting,
  ) {
    const { connections, streams } = setting;
    this.punctual = handler.punctual;
    const octets = new ResponseOctets(connections * streams, handler);
    this.#octets = octets;
    const parts = { connections, driver, handler, octets, probing: this.#probing };
    this.#connections = Array.from(
      { length: connections },
      (_, index) => new SharedConnection(streams, { index, ...parts }),
    );
  }

  get fewestStreams(): number {
    return Math.min(...this.#connections.map(({ fewestStreams }) => fewestStreams));
  }

  connectionOf(slot: number): SharedConnection {
    return this.#connections[slot % this.setting.connections];
  }

  /** The slot's connection, to which something is done. */
  touched(slot: number): SharedConnection {
    const connection = this.connectionOf(slot);
    this.#touched.add(connection);
    return connection;
  }

  // hot
  send(slot: number, place: number, bytes: Uint8Array<ArrayBuffer>): void {
    let request = this.#requests.get(bytes);
    if (request === undefined) {
      request = asHttp2(bytes, this.#schemeOf(slot)); // no two hosts get the same octets
      this.#requests.set(bytes, request);
    }
    // The load counts the octets that it has given; those on the wire are counted when they are there.
    this.handler.recorder.bytesOut -= bytes.length;
    this.touched(slot).send(place, request, this.#nowUs);
  }

  cancel(slot: number, place: number): boolean {
    return this.touched(slot).cancel(place, this.#nowUs);
  }

  #schemeOf(slot: number): Scheme {
    const { connections, schemes } = this.setting;
    return schemes[Math.floor(slot % connections * schemes.length / connections)];
  }

  /** Does something to a connection, and then whatever that has led to. */
  #at(index: number, nowUs: number, what: (connection: SharedConnection) => void): void {
    this.#nowUs = nowUs;
    const connection = this.#connections[index];
    this.#touched.add(connection);
    what(connection);
    this.#settle(nowUs);
  }

  // hot
  #settle(nowUs: number): void {
    for (const connection of this.#touched) {
      this.#touched.delete(connection); // it may be touched again meanwhile, and is then settled again
      connection.settle(nowUs);
    }
  }

  onOpen(index: number, nowUs: number): void {
    this.#at(index, nowUs, (connection) => connection.onOpen(nowUs));
  }

  onRefused(index: number, by: RefusedBy, reason: string, nowUs: number): void {
    this.#at(index, nowUs, (connection) => connection.onRefused(by, reason, nowUs));
  }

  // hot
  onBytes(index: number, bytes: Uint8Array, length: number, nowUs: number): void {
    this.#octets.wireBytes += length;
    this.#at(index, nowUs, (connection) => connection.onBytes(bytes, length, nowUs));
  }

  onEnd(index: number, reset: string | null, nowUs: number): void {
    this.#at(index, nowUs, (connection) => connection.onEnd(reset, nowUs));
  }

  // hot
  onTick(nowUs: number): number {
    this.#nowUs = nowUs;
    const nextUs = this.handler.onTick(nowUs);
    for (const connection of this.#probing) this.#touched.add(connection);
    if (this.#touched.size > 0) this.#settle(nowUs);
    return nextUs;
  }
}
