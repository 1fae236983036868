/**
 * Reads the response to a gRPC call as it arrives (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md):
 * messages, each preceded by its length, and a status at the end. If a check or capture reads messages, each is kept
 * until it is complete and then decoded; otherwise its octets are skipped.
 */
import { messageOf } from "../../../../base/errors.ts";
import { MessageDecoder } from "../../../../base/grpc/decode_message.ts";
import { PREFIX_BYTES } from "../../../../base/grpc/envelope.ts";
import { decodedContent } from "../../../../base/http/content_coding.ts";
import type { KeptResponse, KeptRoom } from "../../../../base/http/kept.ts";
import { beyond, type LimitName, LIMITS, oneMoreThan } from "../../../../base/limits.ts";
import { withoutSecrets } from "../../../../base/secrets.ts";
import { GRPC_STATUSES } from "../../../../scenarios/request/request.ts";
import type { CallSpec } from "./stream_spec.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const COMPRESSED = 1;
const NO_BYTES: Bytes = new Uint8Array(0);
/** A partial message up to this size does not count towards the memory of the `KeptRoom`. */
const FREE_BYTES = 512;
/** The status that stands for codes unknown to gRPC. */
const UNKNOWN = GRPC_STATUSES.indexOf("UNKNOWN");
/** The most characters that an error message quotes of a status text or a Content-Type. */
const MOST_CHARS = 200;

/** The parts shared by all calls with the same specification. */
export class CallPlan {
  readonly decoder: MessageDecoder | null;

  constructor(readonly spec: CallSpec) {
    this.decoder = spec.output === undefined ? null : new MessageDecoder(spec.output);
  }
}

/** Receives the messages that a reader finds. */
export interface CallTaker {
  /** A message as JSON; empty if nothing reads messages, or if this message or an earlier one could not be decoded. */
  onMessage(json: Bytes): void;
}

export class CallReader {
  /** The limit that a message exceeds: its own, or that of the `KeptRoom`. The call must be cancelled then. */
  exceeded: LimitName | null = null;
  /** Number of complete messages. */
  received = 0;
  /** The gRPC status that `verdict` has found; null before, or if the response has none. */
  status: number | null = null;
  /** The last message as JSON, if messages are kept. */
  json: Bytes = NO_BYTES;
  #problem: string | null = null;
  /** The compression named by the grpc-encoding header; null if it is absent or "identity". */
  #coding: string | null = null;
  // State of the current message.
  #prefixBytes = 0;
  #flag = 0;
  #leftBytes = 0;
  #data = NO_BYTES;
  #dataBytes = 0;

  constructor(
    private readonly plan: CallPlan,
    private readonly room: KeptRoom,
    private readonly taker: CallTaker,
  ) {}

  /** Why the head is not that of a gRPC response; null if it is. */
  headProblem(kept: KeptResponse): string | null {
    if (kept.status !== 200) return `its status is ${kept.status}`;
    const type = kept.field("content-type") ?? "none";
    if (!/^application\/grpc(?:[+;]|$)/i.test(type)) {
      return `its content-type is ${type.slice(0, MOST_CHARS)}, not application/grpc`;
    }
    const coding = kept.field("grpc-encoding");
    this.#coding = coding === "identity" ? null : coding;
    return null;
  }

  // hot: runs for every part of a body.
  read(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && this.exceeded === null;) {
      if (this.#prefixBytes < PREFIX_BYTES) this.#takePrefix(bytes[at++]);
      else {
        const length = Math.min(this.#leftBytes, to - at);
        if (this.plan.decoder !== null) this.#keep(bytes.subarray(at, at + length));
        this.#leftBytes -= length;
        at += length;
      }
      if (this.#prefixBytes === PREFIX_BYTES && this.#leftBytes === 0) this.#complete();
    }
  }

  // hot: runs for every octet of the prefix of a message.
  #takePrefix(octet: number): void {
    if (this.#prefixBytes === 0) this.#flag = octet;
    else this.#leftBytes = this.#leftBytes * 256 + octet;
    if (++this.#prefixBytes < PREFIX_BYTES) return;
    if (this.#leftBytes > LIMITS.grpcMessage.most) this.exceeded = "grpcMessage";
    if (this.#flag > COMPRESSED) this.#problem ??= `a message has the unknown flag ${this.#flag}`;
    if (this.#flag === COMPRESSED && this.#coding === null) {
      this.#problem ??= "a message is compressed, but no grpc-encoding says how";
    }
  }

  /** Grows the buffer as octets arrive, not by the length that the server announces. */
  #keep(part: Uint8Array): void {
    const length = this.#dataBytes + part.length;
    if (length > this.#data.length) {
      const wanted = Math.max(length, 2 * this.#data.length);
      if (!this.room.take(outside(wanted) - outside(this.#data.length))) {
        this.exceeded = "keptBodies";
        return;
      }
      const larger = new Uint8Array(wanted);
      larger.set(this.#data.subarray(0, this.#dataBytes));
      this.#data = larger;
    }
    this.#data.set(part, this.#dataBytes);
    this.#dataBytes = length;
  }

  #complete(): void {
    this.received++;
    const { decoder } = this.plan;
    const isRead = decoder !== null && this.exceeded === null;
    this.taker.onMessage(isRead ? this.#decoded(decoder) : NO_BYTES);
    this.#prefixBytes = this.#flag = this.#leftBytes = 0;
    this.#drop();
  }

  /** The message as JSON; empty if it can't be decoded, or if an earlier message already had a problem. */
  #decoded(decoder: MessageDecoder): Bytes {
    const whole = this.#data.subarray(0, this.#dataBytes);
    const { bytes, problem } = this.#flag === 0
      ? { bytes: whole, problem: null }
      : decodedContent(whole, this.#coding);
    if (problem !== null) this.#problem ??= problem;
    if (this.#problem !== null) return NO_BYTES;
    try {
      const json = new TextEncoder().encode(JSON.stringify(decoder.decode(bytes)));
      if (this.plan.spec.keeps) this.json = json;
      return json;
    } catch (error) {
      this.#problem = `a message does not fit its type: ${messageOf(error)}`;
      return NO_BYTES;
    }
  }

  #drop(): void {
    this.#dataBytes = 0;
    if (this.#data.length <= FREE_BYTES) return;
    this.room.giveBack(outside(this.#data.length));
    this.#data = NO_BYTES;
  }

  /** Frees the reader's memory; called at the end of the body. */
  end(): void {
    this.#drop();
  }

  /** Frees the reader's memory; called when the call is cancelled. */
  clear(): void {
    this.#drop();
  }

  /** What is wrong with the response, now that it has ended; null: nothing. */
  verdict(kept: KeptResponse): string | null {
    if (this.exceeded !== null) return beyond(this.exceeded, oneMoreThan(this.exceeded));
    const { statuses, isUnary } = this.plan.spec;
    const status = this.status = callStatus(kept);
    if (status === null) return "the call ended without a grpc-status";
    if (!statuses.includes(status)) return statusText(status, kept);
    if (this.#problem !== null) return this.#problem;
    if (this.#prefixBytes > 0) return "the call ended within a message";
    if (status !== 0 || !isUnary || this.received === 1) return null;
    return `the response has ${
      this.received === 0 ? "no message" : `${this.received} messages`
    } instead of 1`;
  }
}

/** How many bytes of a buffer count towards the memory of the `KeptRoom`: small buffers do not count. */
function outside(bytes: number): number {
  return bytes > FREE_BYTES ? bytes : 0;
}

/** The gRPC status of a complete response; null if it has none that is valid. */
function callStatus(kept: KeptResponse): number | null {
  const text = kept.trailer("grpc-status") ?? kept.field("grpc-status");
  if (text === null || !/^\d{1,9}$/.test(text)) return null;
  const status = Number(text);
  return status < GRPC_STATUSES.length ? status : UNKNOWN;
}

function statusText(status: number, kept: KeptResponse): string {
  const said = kept.trailer("grpc-message") ?? kept.field("grpc-message") ?? "";
  const text = `its grpc-status is ${status} (${GRPC_STATUSES[status]})`;
  return said === "" ? text : `${text}: ${withoutSecrets(decodedText(said)).slice(0, MOST_CHARS)}`;
}

/** The status text without the percent-encoding that gRPC uses for octets beyond ASCII; unchanged if malformed. */
function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
