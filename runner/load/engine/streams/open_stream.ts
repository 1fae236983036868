/**
 * Reads one stream as it arrives, in one response or, if it is requested again, in several: splits it into messages,
 * whose times are recorded, whose tokens are counted, and which are checked. The protocol, the clock and the slot are
 * the caller's concern. The `KeptRoom` limits the memory of the stream.
 */
import { EventReader, type EventTaker } from "../../../../base/http/messages/event_reader.ts";
import { LineReader, type LineTaker } from "../../../../base/http/messages/line_reader.ts";
import { KeptResponse, type KeptRoom } from "../../../../base/http/kept.ts";
import { beyond, oneMoreThan } from "../../../../base/limits.ts";
import type { MessageRecorder } from "../../recording/messages.ts";
import { takerOfText } from "../capture.ts";
import { ResponseCheck } from "../response_check.ts";
import type { Message } from "../protocol.ts";
import type { CallPlan, CallReader, CallTaker } from "./call_reader.ts";
import { Reconnecting } from "./reconnecting.ts";
import type { BodyPart } from "./stream_room.ts";
import type { StreamSpec } from "./stream_spec.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The expectations of a stream, prepared once for all streams with the same specification. */
export class StreamPlan {
  readonly until: Bytes | null;
  /** Extracts the token from a message; null if tokens are not counted. */
  readonly token: ((message: Bytes) => string | null) | null;
  readonly check: ResponseCheck | null;
  readonly #calls: typeof CallReader | null;
  readonly #call: CallPlan | null;
  /** Whether messages are counted. They are not in a gRPC call with a single message, which is the response itself. */
  readonly isCounted: boolean;

  /**
   * Must be called within `withEngine`, which loads the engine for patterns.
   * @param calls Null if no stream is a gRPC call.
   */
  constructor(readonly spec: StreamSpec, calls: CallParts | null = null) {
    this.#calls = calls?.CallReader ?? null;
    this.#call = calls && spec.call ? new calls.CallPlan(spec.call) : null;
    this.isCounted = isCounted(spec);
    const { until, token, expect } = spec;
    this.until = until === undefined ? null : new TextEncoder().encode(until);
    this.token = token === undefined ? null : takerOfText(token);
    this.check = expect === undefined
      ? null
      : new ResponseCheck({ statuses: [], body: null, ...expect });
  }

  /** Null if the stream is not a gRPC call. */
  callReader(room: KeptRoom, taker: CallTaker): CallReader | null {
    if (this.#calls === null || this.#call === null) return null;
    return new this.#calls(this.#call, room, taker);
  }
}

/** The parts of `call_reader.ts`, which reads gRPC calls. */
type CallParts = Pick<typeof import("./call_reader.ts"), "CallPlan" | "CallReader">;

/** Whether messages are counted. They are not in a gRPC call whose response is a single message. */
export function isCounted({ call }: StreamSpec): boolean {
  return call?.isUnary !== true;
}

interface StreamPlace {
  readonly slot: number;
  /** The request for the stream. */
  readonly message: Message;
  readonly messages: MessageRecorder;
  readonly room: KeptRoom;
}

/** Status by which a server tells clients not to reconnect (WHATWG HTML, section 9.2.3). */
const STOP = 204;

/** The name under which lines are counted, because lines have no names. */
const LINE = "line";
const MESSAGE = "message";

export class OpenStream implements EventTaker, LineTaker, CallTaker {
  /** The response, once its head has arrived. */
  kept: KeptResponse | null = null;
  /** Octets of the stream's bodies so far. */
  bodyBytes = 0;
  /** When the head of the first response arrived. */
  firstByteUs = 0;
  /** How the stream is requested again; null: it ends with its response. */
  readonly again: Reconnecting | null;
  /**
   * When a part of the stream last arrived or, if later, when the stream is to be requested again; −Infinity before the
   * first part, and always for a gRPC call with a single message.
   */
  aliveUs = -Infinity;
  /** When the message arrived that ends the stream, even if the server continues (`until`); Infinity before. */
  doneUs = Infinity;
  /** What is wrong with the stream; null: nothing so far. */
  problem: string | null = null;
  readonly #reader: EventReader | LineReader | CallReader;
  /** `#reader` if it reads events; else null. */
  readonly #events: EventReader | null;
  /** Null if the stream is not a gRPC call. */
  readonly #call: CallReader | null;
  #nowUs = 0;
  #received = 0;
  #isRight: boolean;
  /** Whether the head of the current response is that of a stream of the expected kind. */
  #isStream = false;
  /** Whether the current response has brought any octet of its body. */
  #hasBrought = false;
  /** Status of the last response whose head has arrived. */
  #status = 0;
  /** Whether the server has told the client not to reconnect. */
  #isStopped = false;

  constructor(
    readonly plan: StreamPlan,
    readonly sentUs: number,
    private readonly place: StreamPlace,
  ) {
    const { room, message } = place;
    const { reconnectUs } = plan.spec;
    this.again = reconnectUs === undefined ? null : new Reconnecting(message, reconnectUs);
    this.#isRight = plan.check === null;
    this.#events = plan.spec.kind === "events" ? new EventReader(this, room) : null;
    this.#call = plan.callReader(room, this);
    this.#reader = this.#call ?? this.#events ?? new LineReader(this, "lf", room);
  }

  /**
   * Whether a message exceeded its size limit or the memory left in the `KeptRoom`, so that the stream must be
   * cancelled.
   */
  get isOverLimit(): boolean {
    return this.#reader.exceeded !== null;
  }

  /** Whether the stream's deadline has passed; false without one. */
  isPastDeadline(nowUs: number): boolean {
    return nowUs >= this.sentUs + (this.plan.spec.call?.deadlineUs ?? Infinity);
  }

  /**
   * When the virtual user leaves the stream; Infinity if the user stays until the end, or before the first head has
   * arrived.
   */
  get leftUs(): number {
    return this.kept === null ? Infinity : this.firstByteUs + (this.plan.spec.holdUs ?? Infinity);
  }

  /** Status of a gRPC call, once `verdict` has judged it; null before, or if the response has no valid status. */
  get callStatus(): number | null {
    return this.#call?.status ?? null;
  }

  /** Takes a complete head. */
  begin(kept: KeptResponse, nowUs: number): void {
    if (this.kept === null) this.firstByteUs = nowUs;
    this.kept = kept;
    this.#status = kept.status;
    this.#isStopped = this.again !== null && kept.status === STOP;
    this.problem = this.#isStopped ? null : this.#headProblem(kept);
    this.#isStream = this.problem === null && !this.#isStopped;
    if (this.#isStream) this.again?.succeed();
  }

  /** Whether the stream continues with another response when this one, or its connection, ends. */
  get goesOn(): boolean {
    return this.again !== null && this.problem === null && !this.#isStopped && !this.isOverLimit &&
      this.doneUs === Infinity;
  }

  /**
   * The response or its connection has ended, and the stream continues: returns when to request it again, microseconds.
   */
  interrupt(nowUs: number): number {
    const { again, place: { room } } = this;
    if (again === null) throw new Error("A stream goes on although its response has ended");
    this.#nowUs = nowUs;
    this.#reader.end();
    again.interrupt(nowUs, this.#events?.retryMs ?? null);
    // If the response has brought octets, the time-out counts from the next request. A server that
    // sends nothing gets no more time.
    if (this.#isStream && this.#hasBrought) this.aliveUs = again.atUs;
    this.#isStream = false;
    this.#hasBrought = false;
    if (this.kept !== null) this.kept = headOf(this.#status, room);
    return again.atUs;
  }

  /** The request to send now that the stream has a new connection. */
  requestAgain(again: Reconnecting): Message {
    return again.request(this.#events?.lastEventId ?? "");
  }

  /** Takes a part of the body. */
  read({ bytes, from, to }: BodyPart, nowUs: number): void {
    this.bodyBytes += to - from;
    this.#hasBrought ||= to > from;
    this.#nowUs = nowUs;
    if (this.plan.isCounted) this.aliveUs = nowUs;
    if (this.#isStream && this.doneUs === Infinity) this.#reader.read(bytes, from, to);
  }

  /** Why the head is not that of a stream of the expected kind; null if it is. */
  #headProblem(kept: KeptResponse): string | null {
    if (this.#call !== null) return this.#call.headProblem(kept);
    if (kept.status < 200 || kept.status > 299) return `its status is ${kept.status}`;
    const coding = kept.field("content-encoding");
    if (coding !== null && coding !== "identity") return `it is compressed: ${coding}`;
    if (this.plan.spec.kind !== "events") return null;
    const type = kept.field("content-type") ?? "none";
    const isEvents = /^text\/event-stream *(?:;|$)/i.test(type);
    return isEvents ? null : `its content-type is ${type}, not text/event-stream`;
  }

  onLine(bytes: Uint8Array, from: number, to: number): void {
    if (from === to) return; // an empty line only keeps the connection alive
    this.onEvent(LINE, bytes.subarray(from, to) as Bytes);
  }

  onMessage(json: Bytes): void {
    this.onEvent(MESSAGE, json);
  }

  /** Called for every message: an event, a line or a gRPC message. */
  onEvent(name: string, data: Bytes): void {
    if (this.doneUs < Infinity) return;
    const { plan, place: { slot, messages } } = this;
    this.#received++;
    if (plan.isCounted) messages.receive(slot, name, this.#nowUs);
    if (!this.#isRight) this.#isRight = plan.check?.holdsIn(data) ?? true;
    if (plan.until !== null && isSame(data, plan.until)) {
      this.doneUs = this.#nowUs;
      return;
    }
    if (plan.spec.kind === "json-lines" && !isJson(data)) this.problem ??= "a line is not JSON";
    const token = plan.token?.(data) ?? null;
    if (token !== null && token !== "") messages.takeToken(slot, this.#nowUs);
  }

  /** Whether the stream, which has ended, is complete. */
  get isWhole(): boolean {
    if (this.#call !== null) return this.verdict(false) === null;
    const isOver = this.plan.until === null || this.doneUs < Infinity;
    const isRightHead = this.#isStream || this.#isStopped;
    return isRightHead && this.#received > 0 && isOver && !this.isOverLimit;
  }

  /** Called at the end of the response. A remainder without a line end counts as a line, but not as an event. */
  end(nowUs: number): void {
    this.#nowUs = nowUs;
    this.#reader.end();
    if (this.plan.spec.call?.keeps && this.#call !== null) this.kept?.keepInstead(this.#call.json);
  }

  /**
   * What is wrong with the stream, of which no more will be read; null: nothing.
   * @param isLeft Whether the user left while the stream might have continued. Then only what has arrived is judged.
   */
  verdict(isLeft: boolean): string | null {
    const { problem, plan } = this;
    if (problem !== null) return problem;
    if (this.#call !== null && this.kept !== null && !isLeft) {
      const wrong = this.#call.verdict(this.kept);
      return wrong ?? (this.#isRight ? null : NOT_EXPECTED);
    }
    const { exceeded } = this.#reader;
    if (exceeded !== null) return beyond(exceeded, oneMoreThan(exceeded));
    if (this.#received === 0 && !isLeft) return "the stream ended without a message";
    if (plan.until !== null && this.doneUs === Infinity && !isLeft) {
      return "the stream ended without its last message";
    }
    return this.#isRight || this.#received === 0 ? null : NOT_EXPECTED;
  }

  /** Frees the stream's memory; called when the stream is cancelled. */
  forget(): void {
    this.#reader.clear();
  }
}

/** A response with a status alone. It replaces a response whose memory can then be freed. */
function headOf(status: number, room: KeptRoom): KeptResponse {
  const kept = new KeptResponse(room, false);
  kept.takeFields(status, [], 0);
  return kept;
}
const NOT_EXPECTED = "no message was as expected";

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

function isJson(data: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(data));
    return true;
  } catch {
    return false;
  }
}
