/**
 * Frames that wait for a server to read them. The server decides how many those are: each PING and SETTINGS wants a reply
 * (CVE-2019-9512 and CVE-2019-9515), and the end of a request makes the load send its next, also where the server has not
 * read that request. A server that reads is never near these limits.
 */
import { LIMITS } from "../../limits.ts";
import { ConnectionError, type FrameWriter } from "./frames.ts";

/** A place has one request on its way, and maybe some that it gave up. */
const REQUESTS_OF_A_PLACE = 4;
const SPARE_REQUESTS = 100;

/** How much had been written at a moment. */
interface Mark {
  readonly bytes: number;
  readonly replies: number;
  readonly requests: number;
}

export class Backlog {
  readonly #mostRequests: number;
  /** Of what was written, so much at least was sent. */
  #sent: Mark;
  /** What is known to be sent when its bytes are. */
  #next: Mark;

  constructor(private readonly out: FrameWriter, places: number) {
    this.#mostRequests = SPARE_REQUESTS + REQUESTS_OF_A_PLACE * places;
    this.#sent = this.#next = this.#mark();
  }

  #mark(): Mark {
    const { writtenBytes, replies, requests } = this.out;
    return { bytes: writtenBytes, replies, requests };
  }

  /** Throws ConnectionError. @param unsentBytes Of what was taken to be sent. */
  look(unsentBytes: number): void {
    const { out } = this;
    const sentBytes = out.writtenBytes - out.length - unsentBytes;
    if (sentBytes >= this.#next.bytes) {
      this.#sent = this.#next;
      this.#next = this.#mark();
    }
    if (sentBytes >= this.#next.bytes) this.#sent = this.#next;
    if (out.requests - this.#sent.requests > this.#mostRequests) {
      throw tooMany(`${this.#mostRequests} requests, which it has ended`);
    }
  }

  // hot: throws ConnectionError where the last frame wanted a reply too many.
  check(): void {
    const { most } = LIMITS.http2Replies;
    if (this.out.replies - this.#sent.replies > most) throw tooMany(`${most} replies`);
  }
}

function tooMany(what: string): ConnectionError {
  return new ConnectionError(
    "ENHANCE_YOUR_CALM",
    `the server does not read what it asks for: more than ${what}`,
  );
}
