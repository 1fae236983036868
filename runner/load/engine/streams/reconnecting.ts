/**
 * Decides when a stream is requested again, and with which fields, as an EventSource does (WHATWG HTML, section 9.2.3).
 * When its response ends or its connection is cut, the stream waits for the reconnection time, which the server may set
 * (`retry`), and sends the identifier of the last event received (`Last-Event-ID`). After a failed attempt it waits
 * longer each time, as the standard allows.
 */
import type { Message } from "../protocol.ts";

/** Added to the reconnection time after the first failed attempt; doubled after each further one, up to a limit. */
const FIRST_PAUSE_US = 10_000;
const LONGEST_PAUSE_US = 1_000_000;
/** FIRST_PAUSE_US doubled this often exceeds the longest pause. */
const MOST_DOUBLINGS = 7;

const LF = 10;
const ENCODER = new TextEncoder();

export class Reconnecting {
  /** When the next attempt is due, microseconds; Infinity while the stream is connected or being dialed. */
  atUs = Infinity;
  isDialing = false;
  /** Attempts since the last one that brought the head of a response. */
  #attempts = 0;

  /** @param usualUs The reconnection time if the server names none. */
  constructor(private readonly message: Message, private readonly usualUs: number) {}

  /** True while the stream waits to be requested again or is being dialed, so that no response can arrive. */
  get isWaiting(): boolean {
    return this.isDialing || this.atUs < Infinity;
  }

  /**
   * Called when the response has ended, its connection was cut, or no connection could be made.
   * @param retryMs The reconnection time that the server named; null for none.
   */
  interrupt(nowUs: number, retryMs: number | null): void {
    const pauseUs = this.#attempts === 0
      ? 0
      : FIRST_PAUSE_US * 2 ** Math.min(this.#attempts - 1, MOST_DOUBLINGS);
    const retryUs = retryMs === null ? this.usualUs : retryMs * 1_000;
    this.atUs = nowUs + retryUs + Math.min(pauseUs, LONGEST_PAUSE_US);
    this.isDialing = false;
  }

  dial(): void {
    this.atUs = Infinity;
    this.isDialing = true;
    this.#attempts++;
  }

  /** Called when the connection is open; returns the request to send. @param lastEventId "" for none. */
  request(lastEventId: string): Message {
    this.isDialing = false;
    return lastEventId === "" ? this.message : withLastEventId(this.message, lastEventId);
  }

  /** Called when the head of a stream has arrived. */
  succeed(): void {
    this.#attempts = 0;
  }
}

/** The request with this Last-Event-ID in place of its own. */
export function withLastEventId(message: Message, id: string): Message {
  const { bytes } = message;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, from)) {
    const line = bytes.subarray(from, end + 1);
    from = end + 1;
    if (line.length === 2) break; // the empty line that ends the head
    if (!isLastEventId(line)) parts.push(line);
  }
  parts.push(ENCODER.encode(`Last-Event-ID: ${id}\r\n\r\n`), bytes.subarray(from));
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return { ...message, bytes: whole };
}

function isLastEventId(line: Uint8Array): boolean {
  const name = "last-event-id:";
  return String.fromCharCode(...line.subarray(0, name.length)).toLowerCase() === name;
}
