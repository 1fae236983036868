/**
 * Frames that wait for a server to read them. The server decides how many those are: each PING and SETTINGS wants a reply
 * (CVE-2019-9512 and CVE-2019-9515), and a response makes the load send its next request, also one that comes before its
 * request was read. A server that reads is never near these limits.
 */
import { LIMITS } from "../../limits.ts";
import { ConnectionError, type FrameWriter } from "./frames.ts";

/** A place has one request on its way, and those that it gave up. */
const REQUESTS_OF_A_PLACE = 4;
const SPARE_REQUESTS = 100;

export class Backlog {
  readonly #mostRequests: number;
  // What had been written when the last mark was set, and, of that, before the mark which the server's side has passed.
  #markedBytes = 0;
  #markedReplies = 0;
  #markedRequests = 0;
  #takenReplies = 0;
  #takenRequests = 0;

  constructor(private readonly out: FrameWriter, places: number) {
    this.#mostRequests = SPARE_REQUESTS + REQUESTS_OF_A_PLACE * places;
  }

  /** Throws ConnectionError. @param unsentBytes Of what was taken to be sent. */
  look(unsentBytes: number): void {
    const { out } = this;
    if (out.writtenBytes - out.length - unsentBytes >= this.#markedBytes) {
      this.#takenReplies = this.#markedReplies;
      this.#takenRequests = this.#markedRequests;
      this.#markedReplies = out.replies;
      this.#markedRequests = out.requests;
      this.#markedBytes = out.writtenBytes;
    }
    if (out.requests - this.#takenRequests <= this.#mostRequests) return;
    throw tooMany(`${this.#mostRequests} requests, which it has ended`);
  }

  // hot: throws ConnectionError where the last frame wanted a reply too many.
  check(): void {
    const { most } = LIMITS.http2Replies;
    if (this.out.replies - this.#takenReplies > most) throw tooMany(`${most} replies`);
  }
}

function tooMany(what: string): ConnectionError {
  return new ConnectionError(
    "ENHANCE_YOUR_CALM",
    `the server does not read what it asks for: more than ${what}`,
  );
}
