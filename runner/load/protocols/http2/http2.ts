/**
 * HTTP/2 (RFC 9113). Each connection has a fixed number of places, each for one stream at a time; a slot is such a
 * place. Everything that is sent while a read is handled goes out in a single write.
 */
import { asHttp2, type Http2Request, NO_REQUEST } from "../../../../base/http/http2/request.ts";
import { SharedMemory } from "../../../../base/http/http2/shared_memory.ts";
import { prepareDecoding } from "../../../../base/http/content_coding.ts";
import { type KeptResponse, KeptRoom } from "../../../../base/http/kept.ts";
import type { Driver, DriverEvents, RefusedBy } from "../../engine/driver.ts";
import type { ExchangeEvents, Message, Protocol } from "../../engine/protocol.ts";
import { StreamPlaces } from "./places.ts";
import { SharedConnection, type SharedParts } from "./shared_connection.ts";

type Scheme = "http" | "https";

interface Http2Setting {
  readonly connections: number;
  /** Concurrent streams on each connection. */
  readonly streams: number;
  /** Requests after which a connection is replaced; absent: no limit. */
  readonly requests?: number;
  /** The scheme of each host, in the order of the hosts; every host has an equal share of the connections. */
  readonly schemes: readonly Scheme[];
}

const NO_BYTES = new Uint8Array(0);

export class Http2 implements Protocol, DriverEvents {
  readonly punctual: boolean;
  readonly #connections: readonly SharedConnection[];
  /**
   * HTTP/2 requests by the octets of the same requests in HTTP/1.1. `#last` saves looking up a request that is sent
   * repeatedly.
   */
  readonly #requests = new WeakMap<Uint8Array, Http2Request>();
  #lastBytes: Uint8Array = NO_BYTES;
  #last = NO_REQUEST;
  /** Connections used since their last `settle`, which reports the effects of commands and sends what is queued. */
  readonly #touched: SharedConnection[] = [];
  /** Connections that wait for a sign of life from their server, so they are settled at each tick. */
  readonly #probing = new Set<SharedConnection>();

  constructor(
    private readonly driver: Driver,
    private readonly exchanges: ExchangeEvents,
    private readonly setting: Http2Setting,
  ) {
    const { connections, streams, requests } = setting;
    const { retain } = exchanges;
    if (retain === true) prepareDecoding();
    this.punctual = exchanges.punctual;
    const { room = new KeptRoom() } = exchanges;
    const keep = (slot: number): KeptResponse | null =>
      retain === false ? null : room.keep(retain !== "head", slot);
    const parts: SharedParts = {
      ...{ connections, requests, driver, exchanges, keep },
      memory: new SharedMemory(),
      places: new StreamPlaces(connections, streams),
      probing: this.#probing,
      heardUs: new Float64Array(connections),
      ended: new Uint32Array(streams),
      nowUs: 0,
    };
    this.#connections = Array.from(
      { length: connections },
      (_, index) => new SharedConnection(index, parts),
    );
  }

  run(): Promise<void> {
    return this.driver.run(this);
  }

  get fewestStreams(): number {
    return Math.min(...this.#connections.map(({ fewestStreams }) => fewestStreams));
  }

  joins(slot: number): boolean {
    return this.#connections[slot % this.setting.connections].isThere;
  }

  connect(slot: number): void {
    this.#connectionOf(slot).connect(slot);
  }

  // hot: runs for every request.
  send(slot: number, { bytes }: Message, nowUs: number): void {
    const request = bytes === this.#lastBytes ? this.#last : this.#requestOf(bytes, slot);
    this.#connectionOf(slot).send(slot, request, nowUs);
  }

  #requestOf(bytes: Uint8Array<ArrayBuffer>, slot: number): Http2Request {
    let request = this.#requests.get(bytes);
    if (request === undefined) {
      // The cache needs no scheme in its key, because `bytes` is only sent to one host.
      request = asHttp2(bytes, this.#schemeOf(slot));
      this.#requests.set(bytes, request);
    }
    this.#lastBytes = bytes;
    return this.#last = request;
  }

  cancel(slot: number, nowUs: number): boolean {
    return this.#connectionOf(slot).cancel(slot, nowUs);
  }

  close(slot: number): void {
    this.#connectionOf(slot).close(slot);
  }

  #schemeOf(slot: number): Scheme {
    const { connections, schemes } = this.setting;
    return schemes[Math.floor(slot % connections * schemes.length / connections)];
  }

  /** The slot's connection, marked as used. */
  #connectionOf(slot: number): SharedConnection {
    return this.#touch(this.#connections[slot % this.setting.connections]);
  }

  // hot: runs for every request and every read.
  #touch(connection: SharedConnection): SharedConnection {
    if (!connection.isTouched) this.#touched.push(connection);
    connection.isTouched = true;
    return connection;
  }

  // hot: settles the connections that were used, including any that are used meanwhile.
  #settle(nowUs: number): void {
    for (let one = this.#touched.pop(); one !== undefined; one = this.#touched.pop()) {
      one.isTouched = false;
      one.settle(nowUs);
    }
  }

  onOpen(index: number, nowUs: number): void {
    this.#touch(this.#connections[index]).onOpen(nowUs);
    this.#settle(nowUs);
  }

  onRefused(index: number, by: RefusedBy, reason: string, nowUs: number): void {
    this.#touch(this.#connections[index]).onRefused(by, reason, nowUs);
    this.#settle(nowUs);
  }

  // hot: runs for every read.
  onBytes(index: number, bytes: Uint8Array, length: number, nowUs: number): void {
    this.exchanges.onReceived(length, nowUs);
    this.#touch(this.#connections[index]).onBytes(bytes, length, nowUs);
    this.#settle(nowUs);
  }

  onEnd(index: number, reset: string | null, nowUs: number): void {
    this.#touch(this.#connections[index]).onEnd(reset, nowUs);
    this.#settle(nowUs);
  }

  // hot: runs for every tick.
  onTick(nowUs: number): number {
    const nextUs = this.exchanges.onTick(nowUs);
    if (this.#probing.size > 0) this.#probing.forEach((connection) => this.#touch(connection));
    this.#settle(nowUs);
    return nextUs;
  }
}
