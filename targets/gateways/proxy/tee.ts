/**
 * Splits one body for two readers: the client that caused the fetch gets it as it arrives, and the cache gets it as a
 * whole. While the body may still be stored, it is read as fast as the origin sends it, so that a slow client does not
 * delay others that wait for the cache. Once it can't be stored any more, the client sets the pace.
 */
import { fieldList } from "../origin/fields.ts";
import type { BodyBytes } from "../origin/connection.ts";
import type { OriginResponse } from "../origin/origin.ts";

interface Tee {
  readonly response: OriginResponse;
  /** The body for the cache. Never rejects. */
  readonly whole: Promise<WholeBody>;
  /**
   * Tells that no other request waits for the body any more. If the client has disconnected and nothing else needs the
   * body, reading stops; otherwise the rest is still read for the client and the cache.
   */
  release(): void;
}

/** A body, or why there is none to store. */
export type WholeBody = BodyBytes | "too large" | "cut off";

interface TeeOptions {
  readonly maxBodyBytes: number;
  /** Whether the rest of the body is still needed after this client has disconnected. */
  readonly isWanted: () => boolean;
}

export function tee(response: OriginResponse, options: TeeOptions): Tee {
  const { body, fields } = response;
  const asItIs = { response, release: () => {} };
  if (!(body instanceof ReadableStream)) {
    const whole = body ?? new Uint8Array();
    const isSmall = whole.length <= options.maxBodyBytes;
    return { ...asItIs, whole: Promise.resolve(isSmall ? whole : "too large") };
  }
  if (Number(fieldList(fields, "content-length")) > options.maxBodyBytes) {
    return { ...asItIs, whole: Promise.resolve("too large") };
  }
  const splitter = new Splitter(body.getReader(), options);
  return {
    response: { ...response, body: splitter.forClient },
    whole: splitter.whole.promise,
    release: () => splitter.release(),
  };
}

class Splitter {
  readonly whole = Promise.withResolvers<WholeBody>();
  readonly forClient: ReadableStream<BodyBytes>;
  readonly #pieces: BodyBytes[] = [];
  #bytes = 0;
  #isOver = false;
  #client: ReadableStreamDefaultController<BodyBytes> | null = null;

  constructor(
    private readonly reader: ReadableStreamDefaultReader<BodyBytes>,
    private readonly options: TeeOptions,
  ) {
    let small: Promise<void> = Promise.resolve();
    this.forClient = new ReadableStream<BodyBytes>({
      start: (controller) => {
        this.#client = controller;
        small = this.#readWhileSmall();
      },
      pull: async () => {
        await small;
        if (!this.#isOver) await this.#readPiece();
      },
      cancel: () => {
        this.#client = null;
        if (!options.isWanted()) return this.#giveUp();
      },
    });
  }

  release(): void {
    const isAlone = this.#client === null && !this.options.isWanted();
    if (isAlone && !this.#isOver) void this.#giveUp();
  }

  async #readWhileSmall(): Promise<void> {
    while (!this.#isOver && this.#bytes <= this.options.maxBodyBytes) await this.#readPiece();
    if (this.#client === null && !this.#isOver) await this.#giveUp();
  }

  async #readPiece(): Promise<void> {
    try {
      const { done, value } = await this.reader.read();
      if (done) this.#end();
      else this.#pass(value);
    } catch (error) {
      this.#isOver = true;
      this.whole.resolve("cut off");
      this.#client?.error(error);
    }
  }

  #pass(piece: BodyBytes): void {
    this.#bytes += piece.length;
    if (this.#bytes <= this.options.maxBodyBytes) this.#pieces.push(piece.slice());
    else this.whole.resolve("too large");
    this.#client?.enqueue(piece);
  }

  #end(): void {
    this.#isOver = true;
    this.whole.resolve(joined(this.#pieces, this.#bytes));
    this.#client?.close();
  }

  async #giveUp(): Promise<void> {
    this.#isOver = true;
    this.whole.resolve("cut off");
    await this.reader.cancel();
  }
}

/**
 * Joins the parts of a body. If the body was too large, parts are missing, but then the result is not used, because
 * `whole` is already "too large".
 */
function joined(pieces: readonly BodyBytes[], length: number): BodyBytes {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all.subarray(0, length);
}
