/**
 * The WebSockets of a load: when their messages are sent, which messages of the server answer them, when a virtual user
 * leaves, and whether each socket was as expected. Frames are the protocol's concern. This module reads no clock: times
 * are arguments.
 *
 * Messages are due at the pace of their socket, whether or not earlier ones were answered, and their latency counts
 * from when they are due. A message that cannot be sent when it is due, because the server does not read, waits and is
 * late; one that is never sent is dropped. A user who leaves waits for the answers to all sent messages, each up to its
 * time-out.
 */
import { withEngine } from "../../../../base/pattern.ts";
import type { StreamEnd } from "../../recording/message_counts.ts";
import type { StreamingRecorder } from "../../recording/streaming_recorder.ts";
import type { MessagePace } from "../../recording/paced_messages.ts";
import type { CountedSocket, SocketRecorder } from "../../recording/socket_messages.ts";
import { takerOfText } from "../capture.ts";
import { ResponseCheck } from "../response_check.ts";
import { Moments } from "./moments.ts";
import { Payload } from "./payload.ts";
import type { SocketRequest, SocketSpec } from "./socket_spec.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Who ends a socket: its user, or the server with a WebSocket close code. */
export type SocketEnd = { readonly by: "user" } | { readonly by: "server"; readonly code: number };

/** Commands that the protocol carries out for sockets. */
export interface SocketCommands {
  /** Whether a message can be sent on the open socket now, rather than queue behind others. */
  maySend(slot: number): boolean;
  /** Sends message number `n` of the payload. */
  sendMessage(slot: number, payload: Payload, n: number, isText: boolean): void;
  /** Begins the closing handshake, because the user leaves. */
  leave(slot: number, nowUs: number): void;
}

interface SocketsSetting {
  readonly slots: number;
  readonly recorder: StreamingRecorder;
  readonly specs: readonly SocketSpec[];
  /** The moment at which users leave, and after which they send nothing, unless `mayFinish` lets them stay longer. */
  readonly endUs: number;
  /** Whether users may stay beyond `endUs` until their hold time is over. */
  readonly mayFinish: boolean;
  /** Prefix of the names of sockets, different for each worker. */
  readonly name: string;
}

/** Delay before a message that could not be sent on time is tried again, microseconds. */
const AGAIN_US = 1_000;

type Take = (message: Bytes) => string | null;

/** The parts shared by all sockets with the same specification. */
interface SocketPlan {
  /** Extracts the value that an answer shares with its message; null: answers are not matched by such a value. */
  readonly take: Take | null;
  readonly check: ResponseCheck | null;
}

function paceOf({ send, answer }: SocketSpec): Omit<MessagePace, "openUs" | "untilUs"> {
  const isAnswered = answer !== "push";
  if (send === undefined) return { everyUs: 0, most: 0, isAnswered };
  const { everyUs } = send;
  if (everyUs === undefined) return { everyUs: 0, most: 1, isAnswered };
  return { everyUs, most: Infinity, isAnswered };
}

class OpenSocket {
  /** Null until the socket is open. */
  counted: CountedSocket | null = null;
  payload: Payload | null = null;
  /** When the user leaves. */
  leaveUs = Infinity;
  /** When the server last sent anything, if it sends messages on its own (`push`); else −Infinity. */
  aliveUs = -Infinity;
  isLeft = false;
  /** Whether the user's time is over: nothing more is sent, even if earlier messages are still due. */
  isOver = false;
  /** Whether the load ends before the user's hold time is over. */
  isCutShort = false;
  came = 0;
  isRight: boolean;
  /**
   * Numbers of the messages in flight, oldest first, by the value that they share with their answers; null if answers
   * are not matched by such a value.
   */
  readonly byKey: Map<string, number[]> | null;

  readonly spec: SocketSpec;

  constructor(
    readonly request: SocketRequest,
    readonly step: number,
    readonly plan: SocketPlan,
  ) {
    this.spec = request.spec;
    this.isRight = plan.check === null;
    this.byKey = plan.take === null ? null : new Map();
  }

  get isPushed(): boolean {
    return this.spec.answer === "push";
  }
}

export class Sockets {
  /** Whether any socket sends messages at fixed intervals. */
  readonly arePaced: boolean;
  commands: SocketCommands | null = null;
  /** By slot; null: the slot has no exchange, or one that is not a socket. */
  readonly #open: (OpenSocket | null)[];
  readonly #moments: Moments;
  /** Payloads by template, each shared by all sockets that send the same messages. */
  readonly #payloads = new WeakMap<Bytes, Payload>();
  #named = 0;

  private constructor(
    private readonly setting: SocketsSetting,
    private readonly plans: ReadonlyMap<SocketSpec, SocketPlan>,
  ) {
    this.#open = new Array(setting.slots).fill(null);
    this.#moments = new Moments(setting.slots);
    this.arePaced = setting.specs.some(({ send }) => send?.everyUs !== undefined);
  }

  static async of(setting: SocketsSetting): Promise<Sockets> {
    const plans = await withEngine(() =>
      new Map(setting.specs.map((spec) => [spec, planOf(spec)]))
    );
    return new Sockets(setting, plans);
  }

  get #recorder(): StreamingRecorder {
    return this.setting.recorder;
  }

  get #sockets(): SocketRecorder {
    const { sockets } = this.setting.recorder;
    if (sockets === null) throw new Error("A load has sockets, but nothing that counts them");
    return sockets;
  }

  #commandsOf(): SocketCommands {
    if (this.commands === null) throw new Error("A load has sockets without a protocol");
    return this.commands;
  }

  /** Called when the request that opens a socket was sent. @param dueUs The moment from which the latency counts. */
  begin(slot: number, request: SocketRequest, step: number, dueUs: number): void {
    const plan = this.plans.get(request.spec);
    if (plan === undefined) throw new Error("A socket was opened that is not part of the load");
    const socket = new OpenSocket(request, step, plan);
    this.#open[slot] = socket;
    if (socket.isPushed) this.#recorder.messages.begin(slot, step, dueUs);
  }

  /** Called when the response does not open a WebSocket. */
  refused(slot: number, nowUs: number): void {
    this.#recorder.messages.end(slot, "cut", nowUs);
    this.#open[slot] = null;
  }

  opened(slot: number, nowUs: number): void {
    const socket = this.#open[slot];
    if (socket === null) return;
    const { spec, step, isPushed } = socket;
    const { endUs, mayFinish } = this.setting;
    const { send, holdUs } = spec;
    const holdEndUs = nowUs + (holdUs ?? Infinity);
    socket.leaveUs = holdUs !== undefined && mayFinish ? holdEndUs : Math.min(holdEndUs, endUs);
    socket.isCutShort = holdUs !== undefined && socket.leaveUs < holdEndUs;
    const pace = { openUs: nowUs, untilUs: socket.leaveUs, ...paceOf(spec) };
    socket.counted = this.#sockets.open(slot, step, pace);
    socket.aliveUs = isPushed ? nowUs : -Infinity;
    if (send !== undefined) socket.payload = this.#payloadOf(socket.request.payload);
    this.#goOn(slot, socket, nowUs);
  }

  #payloadOf(template: Bytes): Payload {
    const known = this.#payloads.get(template);
    if (known !== undefined) return known;
    const payload = new Payload(template, `${this.setting.name}-${this.#named++}`);
    if (!payload.isOwn) this.#payloads.set(template, payload);
    return payload;
  }

  /** Does everything that is due on any socket; returns the moment at which more will be due. */
  onTick(nowUs: number): number {
    while (this.#moments.nextUs <= nowUs) {
      const slot = this.#moments.first;
      const socket = this.#open[slot];
      if (socket === null) this.#moments.delete(slot);
      else this.#goOn(slot, socket, nowUs);
    }
    return this.#moments.nextUs;
  }

  // hot: runs for every message.
  /** Sends the messages that are due on a socket. Leaves it once its time is over and no answer is awaited. */
  #goOn(slot: number, socket: OpenSocket, nowUs: number): void {
    const { counted, leaveUs } = socket;
    if (counted === null || socket.isLeft) return this.#moments.delete(slot);
    const { messages } = counted;
    while (!socket.isOver && messages.nextDueUs <= nowUs) {
      if (!messages.hasRoom || !this.#commandsOf().maySend(slot)) {
        if (nowUs >= leaveUs) break;
        return this.#moments.set(slot, Math.min(nowUs + AGAIN_US, leaveUs));
      }
      this.#send(slot, socket, counted, nowUs);
    }
    if (nowUs < leaveUs) return this.#moments.set(slot, Math.min(messages.nextDueUs, leaveUs));
    socket.isOver = true;
    this.#moments.delete(slot);
    if (messages.inFlight === 0) this.#leave(slot, socket, nowUs);
  }

  #send(slot: number, socket: OpenSocket, counted: CountedSocket, nowUs: number): void {
    const { spec: { send }, payload, plan: { take }, byKey } = socket;
    const { messages } = counted;
    if (send === undefined || payload === null) {
      throw new Error("A socket that has no message to send was told to send one");
    }
    const n = messages.next;
    const lagUs = nowUs - messages.nextDueUs;
    // The first message is due when the socket opens, not by a clock: if it is sent at once, it says nothing about lag.
    if (send.everyUs !== undefined && (n > 0 || lagUs > 0)) this.#recorder.sent(lagUs);
    this.#sockets.send(counted);
    if (take !== null && byKey !== null) {
      const bytes = new Uint8Array(payload.bytesOf(n));
      payload.write(n, bytes, 0);
      const key = take(bytes) ?? "";
      const sameKey = byKey.get(key);
      if (sameKey === undefined) byKey.set(key, [n]);
      else sameKey.push(n);
    }
    this.#commandsOf().sendMessage(slot, payload, n, send.isText);
  }

  #leave(slot: number, socket: OpenSocket, nowUs: number): void {
    socket.isLeft = true;
    this.#moments.delete(slot);
    // The closing handshake does not count as a wait for a message.
    if (socket.isPushed) this.#recorder.messages.end(slot, "left", nowUs);
    this.#commandsOf().leave(slot, nowUs);
  }

  /** Called when something other than a message, such as a ping, has arrived. */
  heard(slot: number, nowUs: number): void {
    const socket = this.#open[slot];
    if (socket?.isPushed) socket.aliveUs = nowUs;
  }

  // hot: runs for every received message.
  message(slot: number, bytes: Uint8Array, from: number, to: number, nowUs: number): void {
    const socket = this.#open[slot];
    if (socket === null || socket.counted === null) return;
    const { counted } = socket;
    const { messages } = this.#recorder;
    const sockets = this.#sockets;
    sockets.come(counted);
    socket.came++;
    if (!socket.isRight) {
      socket.isRight = socket.plan.check?.holdsIn(bytes.slice(from, to) as Bytes) ?? true;
    }
    if (socket.isPushed) {
      socket.aliveUs = nowUs;
      if (messages.isOpen(slot)) messages.receive(slot, MESSAGE, nowUs);
      return;
    }
    const n = numberOf(socket, counted, bytes, from, to);
    if (n < 0 || !sockets.answer(counted, n, nowUs)) return sockets.mismatch(counted);
    // The user's time is over. `#goOn` sends the messages that became due since the last tick, and
    // then leaves unless an answer is awaited.
    if (nowUs >= socket.leaveUs && !socket.isLeft) this.#goOn(slot, socket, nowUs);
  }

  /** When the socket's time-out starts to count; Infinity: it waits for nothing; −Infinity: it is not open. */
  aliveUs(slot: number): number {
    const socket = this.#open[slot];
    if (!socket?.counted) return -Infinity;
    if (socket.isLeft) return Infinity;
    return socket.isPushed ? socket.aliveUs : socket.counted.messages.oldestDueUs;
  }

  /** Called when a socket has ended; returns what was wrong with it, or null. */
  ended(slot: number, end: SocketEnd, nowUs: number): string | null {
    const socket = this.#open[slot];
    if (socket === null) return null;
    const inFlight = socket.counted?.messages.inFlight ?? 0;
    const { messages } = this.#recorder;
    const sockets = this.#sockets;
    sockets.end(slot, inFlight > 0 ? "cut" : "whole", nowUs);
    messages.end(slot, streamEndOf(end, socket.came), nowUs);
    this.forget(slot);
    if (end.by === "user") {
      return socket.came === 0 || socket.isCutShort || socket.isRight ? null : NOT_EXPECTED;
    }
    if (!RIGHT_CODES.includes(end.code)) return `the server closed the socket: code ${end.code}`;
    if (inFlight > 0) return "the server closed the socket before it had answered all messages";
    if (socket.isPushed && socket.came === 0) return "the WebSocket ended without a message";
    return socket.isRight ? null : NOT_EXPECTED;
  }

  /** Forgets a socket that has ended or was cancelled. */
  forget(slot: number): void {
    this.#open[slot] = null;
    this.#moments.delete(slot);
  }

  /** Called when an open socket was closed with a code, before `ended` or `forget` is called. */
  closed(slot: number, code: number): void {
    const counted = this.#open[slot]?.counted;
    if (counted) this.#sockets.closed(counted, code);
  }
}

const NOT_EXPECTED = "no message was as expected";
/** Name under which messages that a server sends on its own are counted. */
const MESSAGE = "message";
/** Acceptable close codes (RFC 6455 §7.4.1): normal closure, going away, and no code given. */
const RIGHT_CODES: readonly number[] = [1000, 1001, 1005];

/** How the stream of a pushed socket ends after `came` messages. */
function streamEndOf(end: SocketEnd, came: number): StreamEnd {
  if (end.by === "user") return "left";
  return came > 0 && RIGHT_CODES.includes(end.code) ? "whole" : "cut";
}

/** Must be called within `withEngine`, because patterns need the regular-expression engine. */
function planOf({ answer, expect }: SocketSpec): SocketPlan {
  return {
    take: typeof answer === "string" ? null : takerOfText(answer),
    check: expect === undefined ? null : new ResponseCheck({ statuses: [], body: null, ...expect }),
  };
}

/** The number of the message in flight that the received octets answer; −1: none. */
function numberOf(
  { spec: { answer }, payload, byKey, plan: { take } }: OpenSocket,
  { messages }: CountedSocket,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  const oldest = messages.inFlight === 0 ? -1 : messages.oldest;
  if (answer === "order") return oldest;
  if (take === null || byKey === null) return payload?.numberOf(bytes, from, to, oldest) ?? -1;
  const key = take(bytes.slice(from, to));
  const sameKey = key === null ? undefined : byKey.get(key);
  if (key === null || sameKey === undefined) return -1;
  if (sameKey.length === 1) byKey.delete(key);
  return sameKey.shift() ?? -1;
}
