/**
 * HTTP/1.1 in a load with WebSockets (RFC 6455): a slot is a connection, which a response with status 101 turns into a
 * WebSocket. This file opens and closes WebSockets, writes and reads frames, and answers pings; what is sent, and when,
 * is decided in `engine/sockets/sockets.ts`.
 */
import {
  BINARY,
  clientFrame,
  CLOSE,
  closePayload,
  COMPRESSED,
  headBytes,
  LAST,
  maskPayload,
  PONG,
  TEXT,
  writeHead,
} from "../../../../base/http/websocket/frames.ts";
import { deflated, MessageInflater } from "../../../../base/http/websocket/deflate.ts";
import { HandshakeReader, keyOf, withKey } from "../../../../base/http/websocket/handshake.ts";
import {
  MessageReader,
  type MessageTaker,
  NO_CODE,
  NORMAL,
} from "../../../../base/http/websocket/message_reader.ts";
import { type KeptResponse, KeptRoom } from "../../../../base/http/kept.ts";
import type { Driver } from "../../engine/driver.ts";
import type { ExchangeEvents, Message } from "../../engine/protocol.ts";
import { Moments } from "../../engine/sockets/moments.ts";
import type { Payload } from "../../engine/sockets/payload.ts";
import type { SocketCommands, SocketEnd, Sockets } from "../../engine/sockets/sockets.ts";
import { StreamedHttp1 } from "../http1/streamed_http1.ts";

/** How long a server may take to answer a close frame. */
const CLOSE_WAIT_US = 1_000_000;
/**
 * A connection with this many unsent bytes gets no more messages or pongs (RFC 6455 §5.5.3 allows answering only the
 * last ping).
 */
const MOST_UNSENT_BYTES = 64 * 1024;
const SLAB_BYTES = 64 * 1024;
/** Close code of a connection that ended without a close frame (RFC 6455 §7.1.5). */
const ABNORMAL = 1006;

/** Returns 32 random bits. */
export type NextMask = () => number;

export interface SocketParts {
  readonly slots: number;
  readonly sockets: Sockets;
  readonly nextMask: NextMask;
}

const OPENING = 0;
const OPEN = 1;
/** Our close frame has been sent, and the server's is awaited. */
const CLOSING = 2;

const NO_BYTES = new Uint8Array(0);

export class WebSocketHttp1 extends StreamedHttp1 implements SocketCommands {
  override readonly punctual: boolean;
  /** By slot; null: the slot has no WebSocket, and none is being opened on it. */
  readonly #open: (Connection | null)[];
  /** By slot: when to stop waiting for the server's part of the closing handshake. */
  readonly #closing: Moments;
  readonly #sockets: Sockets;
  readonly #nextMask: NextMask;
  readonly #keptRoom: KeptRoom;
  /** Buffer for frames; the bytes before `#slabAt` may not have been sent yet. */
  #slab = new Uint8Array(SLAB_BYTES);
  #slabAt = 0;

  constructor(
    driver: Driver,
    exchanges: ExchangeEvents,
    { slots, sockets, nextMask }: SocketParts,
  ) {
    super(driver, exchanges, slots);
    this.punctual = exchanges.punctual || sockets.arePaced;
    this.#open = new Array(slots).fill(null);
    this.#closing = new Moments(slots);
    this.#sockets = sockets;
    this.#nextMask = nextMask;
    this.#keptRoom = exchanges.room ?? new KeptRoom();
    sockets.commands = this;
  }

  // Commands that the exchanges give.

  override send(slot: number, message: Message): void {
    const { socket } = message;
    if (socket === undefined) return super.send(slot, message);
    const key = this.#newKey();
    const bytes = withKey(message.bytes, key);
    const handshake = new HandshakeReader(key, socket.spec, this.#keptRoom);
    this.#open[slot] = new Connection(this, slot, handshake);
    this.#sockets.begin(slot, socket, message.step, this.exchanges.inFlight.dueUs(slot));
    this.exchanges.onSent(bytes.length);
    this.driver.send(slot, bytes);
  }

  #newKey(): string {
    const words = Uint32Array.from({ length: 4 }, this.#nextMask);
    return keyOf(new Uint8Array(words.buffer));
  }

  override close(slot: number): void {
    this.#forget(slot);
    super.close(slot);
  }

  #forget(slot: number): void {
    const open = this.#open[slot];
    if (open === null) return;
    if (open.state !== OPENING) this.#sockets.closed(slot, ABNORMAL);
    open.reader?.end();
    open.kept.giveBack();
    this.#open[slot] = null;
    this.#sockets.forget(slot);
    this.#closing.delete(slot);
  }

  aliveUs(slot: number): number {
    const open = this.#open[slot];
    if (open === null || open.state === OPENING) return -Infinity;
    return open.state === CLOSING ? Infinity : this.#sockets.aliveUs(slot);
  }

  override onTick(nowUs: number): number {
    while (this.#closing.nextUs <= nowUs) {
      const slot = this.#closing.first;
      this.#end(slot, ABNORMAL, { by: "user" }, nowUs);
      this.#closing.delete(slot);
    }
    const nextUs = super.onTick(nowUs);
    if (nextUs === Infinity) return nextUs;
    return Math.min(nextUs, this.#sockets.onTick(nowUs), this.#closing.nextUs);
  }

  // Events that the driver reports.

  override onBytes(slot: number, bytes: Uint8Array, length: number, nowUs: number): void {
    const open = this.#open[slot];
    if (open === null) return super.onBytes(slot, bytes, length, nowUs);
    if (this.exchanges.isTooLate(slot, nowUs)) return;
    if (open.state === OPENING) return this.#readHead(slot, open, bytes.subarray(0, length), nowUs);
    this.exchanges.onReceived(length, nowUs);
    this.#readFrames(slot, open, bytes, 0, length, nowUs);
  }

  #readHead(slot: number, open: Connection, part: Uint8Array, nowUs: number): void {
    const { handshake } = open;
    if (handshake === null) return;
    if (!handshake.started) open.firstByteUs = nowUs;
    open.headBytes += part.length;
    const result = handshake.read(part);
    if (result === null) return;
    if ("other" in result) {
      const { other } = result;
      open.kept.giveBack();
      this.#open[slot] = null;
      this.#sockets.refused(slot, nowUs);
      this.exchanges.onReceived(open.headBytes - other.length, nowUs);
      return super.onBytes(slot, other, other.length, nowUs);
    }
    this.exchanges.onReceived(open.headBytes, nowUs);
    if ("problem" in result) {
      return this.exchanges.onFailed(slot, "protocol", result.problem, nowUs);
    }
    const { deflate, rest } = result;
    open.handshake = null;
    open.deflates = deflate !== null;
    open.reader = new MessageReader(open, {
      room: this.#keptRoom,
      limit: "streamMessage",
      inflater: deflate && new MessageInflater(deflate),
    });
    open.state = OPEN;
    this.#sockets.opened(slot, nowUs);
    this.#readFrames(slot, open, rest, 0, rest.length, nowUs);
  }

  // hot: runs for every read.
  #readFrames(
    slot: number,
    open: Connection,
    bytes: Uint8Array,
    from: number,
    to: number,
    nowUs: number,
  ): void {
    const { reader } = open;
    if (reader === null) return;
    open.nowUs = nowUs;
    reader.read(bytes, from, to);
    if (this.#open[slot] !== open) return;
    if (reader.problem !== null) return this.#fail(slot, open, nowUs);
    if (open.closedBy !== null) this.#closed(slot, open, open.closedBy, nowUs);
  }

  /**
   * The peer broke a rule. The exchange fails, after a close frame with the reason (RFC 6455 §7.1.7) unless we have
   * already sent a close frame.
   */
  #fail(slot: number, { reader, state }: Connection, nowUs: number): void {
    if (!reader?.problem) return;
    const { code, reason } = reader.problem;
    if (state === OPEN) this.#control(slot, CLOSE, closePayload(code));
    this.exchanges.onFailed(slot, "protocol", reason, nowUs);
  }

  /** Called when the server's close frame has arrived. */
  #closed(slot: number, { state }: Connection, code: number, nowUs: number): void {
    if (state === CLOSING) return this.#end(slot, code, { by: "user" }, nowUs);
    this.#control(slot, CLOSE, code === NO_CODE ? NO_BYTES : closePayload(code));
    this.#end(slot, code, { by: "server", code }, nowUs);
  }

  /** Ends a socket, and with it its exchange. */
  #end(slot: number, code: number, end: SocketEnd, nowUs: number): void {
    const open = this.#open[slot];
    if (open === null) return;
    if (this.exchanges.isTooLate(slot, nowUs)) return;
    const { kept, bodyBytes, firstByteUs, leftUs } = open;
    this.#sockets.closed(slot, code);
    kept.streamProblem = this.#sockets.ended(slot, end, nowUs);
    open.reader?.end();
    this.#open[slot] = null;
    this.#closing.delete(slot);
    const response = { status: SWITCHING_PROTOCOLS, bodyBytes, served: 0, kept };
    this.exchanges.onEnd(slot, response, true, firstByteUs, nowUs, Math.min(leftUs, nowUs));
    kept.giveBack();
  }

  override onEnd(slot: number, reset: string | null, nowUs: number): void {
    const open = this.#open[slot];
    if (open === null) return super.onEnd(slot, reset, nowUs);
    if (open.state === CLOSING) return this.#endByDisconnect(slot, nowUs);
    const reason = open.handshake?.end() ?? "closed without a close frame";
    // The socket is forgotten before its exchange fails, because the slot may then be redialed immediately.
    this.#forget(slot);
    if (!this.exchanges.onDisconnected(slot, nowUs)) return;
    this.exchanges.onFailed(slot, reset === null ? "closed" : "reset", reset ?? reason, nowUs);
  }

  /** The server did not answer our close frame, and the connection is gone. */
  #endByDisconnect(slot: number, nowUs: number): void {
    if (this.exchanges.onDisconnected(slot, nowUs)) {
      this.#end(slot, ABNORMAL, { by: "user" }, nowUs);
    }
    this.#forget(slot);
  }

  // Commands that `Sockets` gives.

  maySend(slot: number): boolean {
    return this.driver.unsentBytes(slot) < MOST_UNSENT_BYTES;
  }

  // hot: runs for every message.
  sendMessage(slot: number, payload: Payload, n: number, isText: boolean): void {
    const first = LAST | (isText ? TEXT : BINARY);
    const length = payload.bytesOf(n);
    if (this.#open[slot]?.deflates) {
      const plain = new Uint8Array(length);
      payload.write(n, plain, 0);
      return this.#sendFrame(
        slot,
        clientFrame(first | COMPRESSED, deflated(plain), this.#nextMask()),
      );
    }
    const bytes = headBytes(length) + length;
    const from = this.#roomFor(bytes);
    const mask = this.#nextMask();
    const at = writeHead(this.#slab, from, first, length, mask);
    payload.write(n, this.#slab, at);
    maskPayload(this.#slab, at, at + length, mask);
    this.#slabAt = from + bytes;
    this.#sendFrame(slot, this.#slab.subarray(from, from + bytes));
    // If no byte is unsent, the system has copied these bytes, so their space can be used again.
    if (this.#slabAt === from + bytes && this.driver.unsentBytes(slot) === 0) this.#slabAt = from;
  }

  #roomFor(bytes: number): number {
    if (this.#slabAt + bytes > this.#slab.length) {
      this.#slab = new Uint8Array(Math.max(SLAB_BYTES, bytes));
      this.#slabAt = 0;
    }
    return this.#slabAt;
  }

  #sendFrame(slot: number, frame: Uint8Array): void {
    this.exchanges.onSent(frame.length);
    this.driver.send(slot, frame);
  }

  leave(slot: number, nowUs: number): void {
    const open = this.#open[slot];
    if (open === null || open.state !== OPEN) return;
    open.state = CLOSING;
    open.leftUs = nowUs;
    this.#control(slot, CLOSE, closePayload(NORMAL));
    this.#closing.set(slot, nowUs + CLOSE_WAIT_US);
  }

  #control(slot: number, opcode: number, payload: Uint8Array): void {
    this.#sendFrame(slot, clientFrame(LAST | opcode, payload, this.#nextMask()));
  }

  // Events that a connection's reader reports.

  take(slot: number, open: Connection, bytes: Uint8Array, from: number, to: number): void {
    open.bodyBytes += to - from;
    this.#sockets.message(slot, bytes, from, to, open.nowUs);
  }

  answerPing(slot: number, open: Connection, payload: Uint8Array): void {
    this.#sockets.heard(slot, open.nowUs);
    if (open.state === OPEN && this.maySend(slot)) this.#control(slot, PONG, payload);
  }

  takePong(slot: number, open: Connection): void {
    this.#sockets.heard(slot, open.nowUs);
  }
}

const SWITCHING_PROTOCOLS = 101;

/** A connection that is, or is about to become, a WebSocket. */
class Connection implements MessageTaker {
  state = OPENING;
  /** Null once the WebSocket is open. */
  handshake: HandshakeReader | null;
  /** Head of the response to the opening handshake, which may still be arriving. */
  readonly kept: KeptResponse;
  /** Bytes received until the handshake was over. */
  headBytes = 0;
  reader: MessageReader | null = null;
  deflates = false;
  firstByteUs = 0;
  /** Time of the current read, microseconds. */
  nowUs = 0;
  /** When the connection's user left. */
  leftUs = Infinity;
  /** Payload bytes of the received messages, without the headers of frames. */
  bodyBytes = 0;
  /** The code of the server's close frame; null: none has arrived. */
  closedBy: number | null = null;

  constructor(
    private readonly protocol: WebSocketHttp1,
    private readonly slot: number,
    handshake: HandshakeReader,
  ) {
    this.handshake = handshake;
    this.kept = handshake.kept;
  }

  onMessage(_: boolean, bytes: Uint8Array, from: number, to: number): void {
    this.protocol.take(this.slot, this, bytes, from, to);
  }

  onPing(bytes: Uint8Array, from: number, to: number): void {
    this.protocol.answerPing(this.slot, this, bytes.subarray(from, to));
  }

  onPong(): void {
    this.protocol.takePong(this.slot, this);
  }

  onClose(code: number): void {
    this.closedBy = code;
  }
}
