/** Sockets of `node:net`, TCP and unix ones, that read into one shared buffer and call back immediately. */
import { Buffer } from "node:buffer";
import { connect, type OnReadOpts, type Socket } from "node:net";
import { messageOf } from "../../../base/errors.ts";
import { DialError, systemReason } from "../../../base/net/dial_error.ts";
import { dialedAt, type Endpoint } from "../../../base/net/endpoint.ts";
import { connected, discard } from "../../../base/net/node_socket.ts";
import type { Address, Host } from "../../../base/net/resolve.ts";
import { connectTo, RouteTo } from "../../../base/net/route.ts";
import type { ReadScheduler } from "./read_scheduler.ts";
import {
  type ConnectionEvents,
  SOCKET_ROOM_BYTES,
  type Transport,
  type TransportConnection,
} from "./transport.ts";

const READ_BYTES = 256 * 1024;

/** The first version of Deno whose `node:net` supports `onread`. */
const SINCE = [2, 8];

/**
 * Whether sockets of `node:net` can be used for `endpoint` and requests of this size. `node:net` closes a socket whose
 * write fails, and drops what has arrived but is not read yet: a response that comes before its request is sent
 * completely would be lost.
 */
export function readsByCallback(endpoint: Endpoint, requestBytes: number): boolean {
  if (requestBytes > SOCKET_ROOM_BYTES) return false;
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  const isThere = major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
  return isThere && ("path" in endpoint || endpoint.tls === undefined);
}

export class NodeTransport implements Transport {
  readonly #dial: Dial;
  readonly #room = new SharedBuffer();

  constructor(endpoint: Endpoint, private readonly scheduler: ReadScheduler) {
    this.#dial = "path" in endpoint ? unixDial(endpoint.path) : tcpDial(dialedAt(endpoint));
  }

  open(slot: number, events: ConnectionEvents): NodeConnection {
    const connection = new NodeConnection(this.#room, slot, this.scheduler, events);
    void connection.open(this.#dial);
    return connection;
  }
}

/** Opens a socket. Rejects with a DialError. */
type Dial = (onread: OnReadOpts, signal: AbortSignal) => Promise<Socket>;

function tcpDial(host: Host): Dial {
  const to = new RouteTo(host);
  return async (onread, signal) => {
    const open = ({ ip, port }: Address, signal: AbortSignal): Promise<Socket> =>
      connected(unread(connect({ host: ip, port, noDelay: true, onread })), signal);
    return await connectTo(await to.get(), { open, discard }, signal);
  };
}

function unixDial(path: string): Dial {
  return (onread, signal) =>
    connected(unread(connect({ path, onread })), signal).catch((error) => {
      throw new DialError("connect", `${path}: ${systemReason(error)}`);
    });
}

/** Pauses a socket until somebody listens, because a server may send, or close, as soon as it accepts. */
function unread(socket: Socket): Socket {
  return socket.once("connect", () => socket.pause());
}

/** Memory that all connections share, as the Buffer that node:net expects. */
class SharedBuffer {
  readonly readBuffer = Buffer.alloc(READ_BYTES);
  readonly readBytes: Uint8Array = viewOf(this.readBuffer);
  /**
   * The bytes that were sent last; `#buffer` is a Buffer over them. It is reused, because most requests have the same
   * bytes.
   */
  #sent = viewOf(this.readBuffer);
  #buffer = this.readBuffer;

  // hot: otherwise node:net would make a Buffer for each request.
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
  /** Null unless dialing, so that an open connection takes no memory for it. */
  #dialing: AbortController | null = null;
  /** Null while dialing. */
  #socket: Socket | null = null;
  #isClosed = false;
  /** True while the scheduler keeps the connection from reading. */
  #waits = false;

  constructor(
    private readonly room: SharedBuffer,
    private readonly slot: number,
    private readonly scheduler: ReadScheduler,
    private readonly events: ConnectionEvents,
  ) {}

  async open(dial: Dial): Promise<void> {
    const onread = { buffer: this.room.readBuffer, callback: this.#onRead };
    const dialing = this.#dialing = new AbortController();
    this.scheduler.dialing++;
    try {
      this.#socket = await dial(onread, dialing.signal);
    } catch (error) {
      if (this.#isClosed) return;
      if (!(error instanceof DialError)) throw error;
      this.#isClosed = true;
      return this.events.onRefused(this.slot, error);
    } finally {
      this.#dialing = null;
      this.scheduler.dialing--;
    }
    const end = (error: Error | null = null): void => this.#end(error);
    this.#socket.on("end", end).on("error", end);
    if (this.#isClosed) return discard(this.#socket);
    this.events.onOpen(this.slot);
    if (!this.#isClosed) this.#socket.resume();
  }

  // hot
  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#socket?.write(this.room.bufferOf(bytes));
  }

  get unsentBytes(): number {
    return this.#socket?.writableLength ?? 0;
  }

  /** Always true: requests are no larger than what a socket accepts at once. */
  readonly isSent = true;

  close(): void {
    this.#isClosed = true;
    if (this.#socket) discard(this.#socket);
    else this.#dialing?.abort();
  }

  readNow(): void {
    if (this.#isClosed || !this.#waits) return;
    this.#waits = false;
    this.#socket?.resume();
  }

  // hot: runs for every read. Returns whether to continue reading.
  readonly #onRead = (length: number): boolean => {
    if (this.#isClosed) return false;
    this.events.onBytes(this.slot, this.room.readBytes, length);
    if (!this.#isClosed) this.#waits = !this.scheduler.mayReadOn(this.slot);
    return !this.#waits;
  };

  #end(error: Error | null): void {
    if (this.#isClosed) return;
    this.close();
    this.events.onEnd(this.slot, error && messageOf(error));
  }
}
