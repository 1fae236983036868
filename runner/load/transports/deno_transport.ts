/**
 * Deno's own sockets, TLS and unix ones included. Each open connection has one read in progress or scheduled, and its
 * writes are sequential.
 */
import { messageOf } from "../../../base/errors.ts";
import type { Connection } from "../../../base/net/connection.ts";
import { dialer } from "../../../base/net/dial.ts";
import { alertMeaning, DialError } from "../../../base/net/dial_error.ts";
import type { Endpoint, Tls } from "../../../base/net/endpoint.ts";
import type { ReadScheduler } from "./read_scheduler.ts";
import {
  type ConnectionEvents,
  SOCKET_ROOM_BYTES,
  type Transport,
  type TransportConnection,
} from "./transport.ts";

/**
 * Total memory for read buffers, divided among the slots, each of which has one connection at a time. Few slots get
 * large buffers, so that a large response takes few reads, and many slots get small ones.
 */
const READ_ROOM_BYTES = 32 * 1024 * 1024;
const MIN_READ_BYTES = 4 * 1024;
const MAX_READ_BYTES = 64 * 1024;

/** Start of the link that rustls appends to its error messages. */
const READ_MORE = ": https:";

export class DenoTransport implements Transport {
  readonly #readBytes: number;
  readonly #dial: ReturnType<typeof dialer>;

  constructor(
    private readonly endpoint: Endpoint,
    slots: number,
    private readonly scheduler: ReadScheduler,
    private readonly requestBytes: number,
  ) {
    this.#readBytes = Math.min(MAX_READ_BYTES, Math.max(MIN_READ_BYTES, READ_ROOM_BYTES / slots));
    this.#dial = dialer(endpoint);
  }

  open(slot: number, events: ConnectionEvents): DenoConnection {
    const { endpoint, requestBytes } = this;
    const tls = "path" in endpoint ? undefined : endpoint.tls;
    const setting = { readBytes: this.#readBytes, requestBytes, tls };
    const connection = new DenoConnection(slot, setting, this.scheduler, events);
    void connection.open(this.#dial);
    return connection;
  }
}

interface ConnectionSetting {
  readonly readBytes: number;
  /** Size of the largest request in bytes. */
  readonly requestBytes: number;
  readonly tls: Tls | undefined;
}

class DenoConnection implements TransportConnection {
  /** Null unless dialing, so that an open connection takes no memory for it. */
  #dialing: AbortController | null = null;
  /** Null while dialing. */
  #conn: Connection | null = null;
  #writes: WriteQueue | null = null;
  #isClosed = false;
  /** True while the scheduler keeps the connection from reading. */
  #waits = false;
  readonly #buffer: Uint8Array;
  readonly #requestBytes: number;
  readonly #tls: Tls | undefined;

  constructor(
    private readonly slot: number,
    { readBytes, requestBytes, tls }: ConnectionSetting,
    private readonly scheduler: ReadScheduler,
    private readonly events: ConnectionEvents,
  ) {
    this.#buffer = new Uint8Array(readBytes);
    this.#requestBytes = requestBytes;
    this.#tls = tls;
  }

  async open(dial: ReturnType<typeof dialer>): Promise<void> {
    const dialing = this.#dialing = new AbortController();
    this.scheduler.dialing++;
    try {
      this.#conn = await dial(dialing.signal);
    } catch (error) {
      if (this.#isClosed) return;
      if (!(error instanceof DialError)) throw error;
      this.#isClosed = true;
      return this.events.onRefused(this.slot, error);
    } finally {
      this.#dialing = null;
      this.scheduler.dialing--;
    }
    if (this.#isClosed) return this.#conn.close();
    this.#writes = new WriteQueue(this.#conn);
    this.events.onOpen(this.slot);
    this.#readOn();
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#writes?.send(bytes);
  }

  get unsentBytes(): number {
    return this.#writes?.unsentBytes ?? 0;
  }

  /**
   * Whether everything has been sent. Null once large requests are written, because the system may still hold parts of
   * them without saying so.
   */
  get isSent(): boolean | null {
    if (this.#writes?.isBusy) return false;
    return this.#requestBytes <= SOCKET_ROOM_BYTES || null;
  }

  close(): void {
    this.#isClosed = true;
    this.#writes?.stop();
    if (this.#conn) this.#conn.close();
    else this.#dialing?.abort();
  }

  readNow(): void {
    if (this.#isClosed || !this.#waits) return;
    this.#waits = false;
    this.#read();
  }

  // hot
  #readOn(): void {
    if (this.#isClosed) return;
    this.#waits = !this.scheduler.mayReadOn(this.slot);
    if (!this.#waits) this.#read();
  }

  // hot: starts one read; the only promises are that of the read and that of `then`.
  #read(): void {
    this.#conn?.read(this.#buffer).then(this.#onRead, this.#onBroken);
  }

  readonly #onRead = (length: number | null): void => {
    if (this.#isClosed) return;
    if (length === null) return this.#end(null);
    this.events.onBytes(this.slot, this.#buffer, length);
    this.#readOn();
  };

  readonly #onBroken = (error: unknown): void => {
    if (this.#isClosed) return;
    const [said] = messageOf(error).split(READ_MORE, 1);
    this.#end(alertMeaning(said, this.#tls) ?? said);
  };

  #end(reset: string | null): void {
    this.close();
    this.events.onEnd(this.slot, reset);
  }
}

// The writing side of a connection: bytes go out completely and in order, one write at a time.

export class WriteQueue {
  /** The bytes of the write in progress; null if there is none. */
  #underWay: Uint8Array<ArrayBuffer> | null = null;
  readonly #waiting: Uint8Array<ArrayBuffer>[] = [];
  #isStopped = false;
  /** Bytes in this queue that are not written yet. */
  unsentBytes = 0;

  constructor(private readonly conn: Connection) {}

  // hot: if a request takes one write, this makes no extra promise and does not touch the list.
  send(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#isStopped) return;
    this.unsentBytes += bytes.length;
    if (this.#underWay === null) this.#write(bytes);
    else this.#waiting.push(bytes);
  }

  /**
   * Whether bytes remain to be sent. A write in progress counts only if it is larger than what a socket accepts at
   * once, because a smaller one may be done although its promise has not resolved.
   */
  get isBusy(): boolean {
    const underWay = this.#underWay?.length ?? 0;
    return underWay > SOCKET_ROOM_BYTES || this.#waiting.length > 0;
  }

  /** Writes nothing more, and no longer uses the connection. */
  stop(): void {
    this.#isStopped = true;
  }

  #write(bytes: Uint8Array<ArrayBuffer>): void {
    this.#underWay = bytes;
    this.conn.write(bytes).then(this.#onWritten, this.#onBroken);
  }

  readonly #onWritten = (length: number): void => {
    if (this.#isStopped) return;
    this.unsentBytes -= length;
    const bytes = this.#underWay;
    this.#underWay = null;
    if (bytes !== null && length < bytes.length) this.#waiting.unshift(bytes.subarray(length));
    const next = this.#waiting.shift();
    if (next !== undefined) this.#write(next);
  };

  /** Only stops, because the reader notices a broken connection, too, and reports it. */
  readonly #onBroken = (): void => this.stop();
}
