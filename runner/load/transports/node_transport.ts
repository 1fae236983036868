/**
 * Sockets of `node:net`, TCP and unix ones, that read into one buffer for all and call back at once.
 */
import { Buffer } from "node:buffer";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { messageOf } from "../../../base/errors.ts";
import { refused } from "../../../base/net/dial_error.ts";
import { dialedAt, type Endpoint, type TcpEndpoint } from "../../../base/net/endpoint.ts";
import type { ReadScheduler } from "./read_scheduler.ts";
import type { ConnectionEvents, Transport, TransportConnection } from "./transport.ts";

const READ_BYTES = 256 * 1024;

/** The first version of Deno whose `node:net` has `onread`. */
const SINCE = [2, 8];

/** Whether there are such sockets to `endpoint`. */
export function readsByCallback(endpoint: Endpoint): boolean {
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  const isThere = major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
  return isThere && ("path" in endpoint || endpoint.tls === undefined);
}

export class NodeTransport implements Transport {
  readonly #where: NetConnectOpts;
  readonly #room = new SharedBuffer();

  constructor(endpoint: Endpoint, private readonly scheduler: ReadScheduler) {
    this.#where = "path" in endpoint
      ? { path: endpoint.path }
      : { ...nodeAddress(endpoint), noDelay: true };
  }

  open(slot: number, events: ConnectionEvents): NodeConnection {
    return new NodeConnection(this.#where, this.#room, slot, this.scheduler, events);
  }
}

function nodeAddress(endpoint: TcpEndpoint): { host: string; port: number } {
  const { hostname: host, port } = dialedAt(endpoint);
  return { host, port };
}

/** Memory that all connections share, as a Buffer where node:net wants one, though a reader of bytes needs none. */
class SharedBuffer {
  readonly readBuffer = Buffer.alloc(READ_BYTES);
  readonly readBytes: Uint8Array = viewOf(this.readBuffer);
  /** What was sent last, as most requests are the same bytes. */
  #sent = viewOf(this.readBuffer);
  #buffer = this.readBuffer;

  // hot: without it node:net makes a Buffer of each request.
  bufferOf(bytes: Uint8Array<ArrayBuffer>): Buffer {
    if (bytes !== this.#sent) {
      this.#sent = bytes;
      this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.#buffer;
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, length);
}

class NodeConnection implements TransportConnection {
  readonly #socket: Socket;
  #isDialing = true;
  #isClosed = false;
  /** Whether it waits for the scheduler to read. */
  #waits = false;

  constructor(
    where: NetConnectOpts,
    private readonly room: SharedBuffer,
    private readonly slot: number,
    private readonly scheduler: ReadScheduler,
    private readonly events: ConnectionEvents,
  ) {
    const onread = { buffer: room.readBuffer, callback: this.#onRead };
    this.#socket = connect({ ...where, onread });
    scheduler.dialing++;
    this.#socket.once("connect", () => {
      if (this.#isClosed) return;
      this.#dialed();
      events.onOpen();
    });
    this.#socket.once("end", () => this.#end(null));
    this.#socket.on("error", (error) => this.#end(error));
  }

  // hot
  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#socket.write(this.room.bufferOf(bytes));
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  close(): void {
    this.#isClosed = true;
    this.#dialed();
    this.#socket.destroy();
  }

  readNow(): void {
    if (this.#isClosed || !this.#waits) return;
    this.#waits = false;
    this.#socket.resume();
  }

  // hot: once a read. Returns whether to read on.
  readonly #onRead = (length: number): boolean => {
    if (this.#isClosed) return false;
    this.events.onBytes(this.room.readBytes, length);
    if (!this.#isClosed) this.#waits = !this.scheduler.mayReadOn(this.slot);
    return !this.#waits;
  };

  #dialed(): void {
    if (this.#isDialing) this.scheduler.dialing--;
    this.#isDialing = false;
  }

  #end(error: Error | null): void {
    if (this.#isClosed) return;
    const wasDialing = this.#isDialing;
    this.close();
    if (wasDialing) this.events.onRefused(refused(error));
    else this.events.onEnd(error && messageOf(error));
  }
}
