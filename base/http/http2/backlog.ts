/**
 * Limits how many frames may wait for a server to read them. The server determines their number: each PING and SETTINGS
 * needs a reply (CVE-2019-9512 and CVE-2019-9515), and whenever a request ends, the load sends another one, even if the
 * server has not yet read the one that ended. A server that keeps reading never comes near these limits.
 */
import { LIMITS } from "../../limits.ts";
import { ConnectionError, type FrameWriter } from "./frames.ts";

/**
 * Maximum number of waiting requests for each place (which holds one stream at a time): the one in progress, and a few
 * that were cancelled.
 */
const REQUESTS_OF_A_PLACE = 4;
const SPARE_REQUESTS = 100;

export class Backlog {
  readonly #mostRequests: number;
  // Lower bounds for the numbers of replies and requests that have been sent.
  #sentReplies = 0;
  #sentRequests = 0;
  // Once `#nextBytes` bytes have been sent, `#nextReplies` replies and `#nextRequests` requests
  // have been sent, too.
  #nextBytes = 0;
  #nextReplies = 0;
  #nextRequests = 0;

  constructor(private readonly out: FrameWriter, places: number) {
    this.#mostRequests = SPARE_REQUESTS + REQUESTS_OF_A_PLACE * places;
  }

  /**
   * Notes how much has been sent. Throws ConnectionError if too many requests are waiting to be sent.
   * @param unsentBytes Bytes that were handed over for sending, but have not been sent yet.
   */
  look(unsentBytes: number): void {
    const { out } = this;
    const sentBytes = out.writtenBytes - out.length - unsentBytes;
    if (sentBytes >= this.#nextBytes) {
      this.#pass();
      this.#nextBytes = out.writtenBytes;
      this.#nextReplies = out.replies;
      this.#nextRequests = out.requests;
      if (sentBytes >= this.#nextBytes) this.#pass();
    }
    if (out.requests - this.#sentRequests > this.#mostRequests) {
      throw tooMany(`${this.#mostRequests} requests whose responses have ended`);
    }
  }

  #pass(): void {
    this.#sentReplies = this.#nextReplies;
    this.#sentRequests = this.#nextRequests;
  }

  /** Throws ConnectionError if too many replies are waiting to be sent. */
  check(): void {
    const { most } = LIMITS.http2Replies;
    if (this.out.replies - this.#sentReplies > most) throw tooMany(`${most} replies`);
  }
}

function tooMany(what: string): ConnectionError {
  return new ConnectionError(
    "ENHANCE_YOUR_CALM",
    `the server does not read what it is sent: more than ${what} wait to be sent`,
  );
}
