/**
 * The readers of HTTP/1.1 responses on the connections. Nearly every response comes whole, in one read, and one reader
 * is enough for all such responses: it stays in the processor's caches, and a connection costs no memory for a reader.
 * While a response is split over several reads, its connection has a reader of its own.
 */
import { prepareDecoding } from "../../../../base/http/content_coding.ts";
import { KnownHead } from "../../../../base/http/head.ts";
import { KeptRoom } from "../../../../base/http/kept.ts";
import { ResponseReader } from "../../../../base/http/response.ts";
import type { ExchangeEvents } from "../../engine/protocol.ts";

export class Readers {
  /** Reader of responses that arrive whole; callers reset it first. */
  whole: ResponseReader;
  /** By slot: the reader that holds the beginning of a split response; null without one. */
  readonly split: (ResponseReader | null)[];
  /** By slot: when the first byte of the split response arrived, microseconds. */
  readonly firstByteUs: Float64Array;
  readonly #free: ResponseReader[] = [];
  /** Options that make the readers share one `KnownHead` and one `KeptRoom`. */
  readonly #options: ConstructorParameters<typeof ResponseReader>[0];

  constructor(slots: number, { retain, room }: Pick<ExchangeEvents, "retain" | "room">) {
    if (retain === true) prepareDecoding();
    const keptRoom = room ?? new KeptRoom();
    const maxKeptBytes = keptRoom.mostBodyBytes;
    this.#options = { retain, known: new KnownHead(), keptRoom, maxKeptBytes };
    this.firstByteUs = new Float64Array(slots);
    this.split = new Array(slots).fill(null);
    this.whole = new ResponseReader(this.#options);
  }

  /** Called when a read ends within a response that `whole` is reading: that reader then stays with the slot. */
  keep(slot: number, nowUs: number): void {
    this.firstByteUs[slot] = nowUs;
    this.split[slot] = this.whole;
    this.whole = this.#free.pop() ?? new ResponseReader(this.#options);
  }

  /** Frees the slot's own reader, if there is one; called when the response on the slot has ended or was cancelled. */
  release(slot: number): void {
    const reader = this.split[slot];
    if (reader === null) return;
    this.split[slot] = null;
    reader.begin(false); // frees what the reader kept
    this.#free.push(reader);
  }
}
