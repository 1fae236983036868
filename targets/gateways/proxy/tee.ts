/**
 * The body of an answer for two: for the client that caused it, as it comes, and for the cache, whole.
 * As long as it may still be kept it is read as fast as the origin sends it, so that a slow client does
 * not hold up those who wait for the cache; beyond that the client sets the pace.
 */
import { listed } from "../origin/fields.ts";
import type { OriginAnswer } from "../origin/origin.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface Apart {
  /** For the client. */
  readonly answer: OriginAnswer;
  /** For the cache: null when it was too large or cut off. Never rejects. */
  readonly whole: Promise<Bytes | null>;
  /** Those who waited for the rest do so no more: it is read for the client alone, if that is still there. */
  release(): void;
}

export interface Limits {
  readonly maxBodyBytes: number;
  /** Whether somebody waits for the rest when the client has gone. */
  readonly isWanted: () => boolean;
}

export function takeApart(answer: OriginAnswer, limits: Limits): Apart {
  const { body, fields } = answer;
  const asItIs = { answer, release: () => {} };
  if (!(body instanceof ReadableStream)) {
    const whole = body ?? new Uint8Array();
    const isSmall = whole.length <= limits.maxBodyBytes;
    return { ...asItIs, whole: Promise.resolve(isSmall ? whole : null) };
  }
  if (Number(listed(fields, "content-length")) > limits.maxBodyBytes) {
    return { ...asItIs, whole: Promise.resolve(null) };
  }
  const splitter = new Splitter(body.getReader(), limits);
  return {
    answer: { ...answer, body: splitter.forClient },
    whole: splitter.whole.promise,
    release: () => splitter.release(),
  };
}

class Splitter {
  readonly whole = Promise.withResolvers<Bytes | null>();
  readonly forClient: ReadableStream<Bytes>;
  readonly #pieces: Bytes[] = [];
  #bytes = 0;
  #isOver = false;
  #client: ReadableStreamDefaultController<Bytes> | null = null;

  constructor(
    private readonly reader: ReadableStreamDefaultReader<Bytes>,
    private readonly limits: Limits,
  ) {
    let small: Promise<void> = Promise.resolve();
    this.forClient = new ReadableStream<Bytes>({
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
        if (!limits.isWanted()) return this.#giveUp();
      },
    });
  }

  release(): void {
    const isAlone = this.#client === null && !this.limits.isWanted();
    if (isAlone && !this.#isOver) void this.#giveUp();
  }

  async #readWhileSmall(): Promise<void> {
    while (!this.#isOver && this.#bytes <= this.limits.maxBodyBytes) await this.#readPiece();
    if (this.#client === null && !this.#isOver) await this.#giveUp();
  }

  async #readPiece(): Promise<void> {
    try {
      const { done, value } = await this.reader.read();
      if (done) this.#end();
      else this.#pass(value);
    } catch (error) {
      this.#isOver = true;
      this.whole.resolve(null);
      this.#client?.error(error);
    }
  }

  #pass(piece: Bytes): void {
    this.#bytes += piece.length;
    if (this.#bytes <= this.limits.maxBodyBytes) this.#pieces.push(piece.slice());
    else this.whole.resolve(null);
    this.#client?.enqueue(piece);
  }

  #end(): void {
    this.#isOver = true;
    this.whole.resolve(joined(this.#pieces, this.#bytes));
    this.#client?.close();
  }

  async #giveUp(): Promise<void> {
    this.#isOver = true;
    this.whole.resolve(null);
    await this.reader.cancel();
  }
}

/** Too late to matter when the body was too large: then `whole` is null already. */
function joined(pieces: readonly Bytes[], length: number): Bytes {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all.subarray(0, length);
}
