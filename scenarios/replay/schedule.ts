/**
 * A log as a schedule, which says when each request arrives and which one it is. A request of the log takes twelve
 * bytes; the eight for its due time are in memory that all workers share. Each distinct request is stored once. Pure.
 */
import { messageOf } from "../../base/errors.ts";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../base/limits.ts";
import type { JsonKeys } from "./json_line.ts";
import type { LogFormat } from "./log_line.ts";
import type { LoggedRequest, LogLine, ReadLogLine } from "./logged.ts";

interface ReplayOptions {
  readonly format: LogFormat;
  readonly keys: JsonKeys;
  /** How many times as fast as in the log the requests are sent; with 2, the replay takes half the time. */
  readonly speed: number;
  /** Whether requests that may change data are sent, too. */
  readonly writes: boolean;
}

type ReplayedRequest = Pick<LoggedRequest, "method" | "path">;

export interface Replay {
  readonly requests: readonly ReplayedRequest[];
  /** For each arrival, the index of its request in `requests`. */
  readonly sequence: Uint32Array;
  /** The due time of each arrival, ascending, in microseconds since the start. */
  readonly dueUs: Float64Array<SharedArrayBuffer>;
  readonly durationUs: number;
}

/** A line that is not replayed, with the reason. */
export interface WrongLine {
  readonly line: number;
  readonly why: string;
}

const SHOWN_LINES = 20;
const MOST_METHODS = 100;
const SAFE = new Set(["GET", "HEAD"]);
const SECOND_US = 1e6;

export class ReplayBuilder {
  /** The first unreadable lines, up to `SHOWN_LINES`. */
  readonly wrong: WrongLine[] = [];
  /** The first lines without a request, up to `SHOWN_LINES`. */
  readonly empty: WrongLine[] = [];
  /** Number of requests that were left out because of their method, keyed by method. */
  readonly otherMethods = new Map<string, number>();
  /** Number of lines that are or should be requests: all but comments and blank lines. */
  lines = 0;
  wrongLines = 0;
  emptyLines = 0;
  readonly #read: ReadLogLine;
  readonly #requests = new Map<string, number>();
  #seenLines = 0;
  #atUs = new Float64Array(1_024);
  #sequence = new Uint32Array(1_024);
  #count = 0;
  #isOrdered = true;
  /** Whether all times are whole seconds, so that the times within each second are unknown. */
  #isWholeSeconds = true;

  constructor(private readonly options: ReplayOptions) {
    this.#read = options.format.reader(options.keys);
  }

  get count(): number {
    return this.#count;
  }

  /** Throws if the log is too large. */
  add(text: string): void {
    this.#seenLines++;
    if (text.trim() === "") return;
    const line = this.#lineIn(text);
    if (line?.kind === "comment") return;
    this.lines++;
    if (line === null) return;
    if (line.kind === "no request") {
      this.emptyLines++;
      this.#show(this.empty, line.why);
    } else if (line.kind === "other method" || !this.#isSent(line.method)) {
      const { otherMethods: counts } = this;
      const isNamed = counts.has(line.method) || counts.size < MOST_METHODS;
      const name = isNamed ? line.method : "others";
      counts.set(name, (counts.get(name) ?? 0) + 1);
    } else this.#keep(line);
  }

  #isSent(method: string): boolean {
    return this.options.writes || SAFE.has(method);
  }

  #lineIn(text: string): LogLine | null {
    try {
      return this.#read(text);
    } catch (error) {
      this.wrongLines++;
      this.#show(this.wrong, messageOf(error));
      return null;
    }
  }

  #show(lines: WrongLine[], why: string): void {
    if (lines.length < SHOWN_LINES) lines.push({ line: this.#seenLines, why });
  }

  #keep({ atUs, method, path }: LoggedRequest): void {
    const key = `${method} ${path}`;
    const known = this.#requests.get(key) ?? this.#requests.size;
    if (known === LIMITS.variants.most) {
      throw new Error(beyond("variants", oneMoreThan("variants")));
    }
    if (known === this.#requests.size) this.#requests.set(key, known);
    if (!isWithin("replayed", this.#count + 1)) {
      throw new Error(beyond("replayed", oneMoreThan("replayed")));
    }
    if (this.#count === this.#atUs.length) this.#grow();
    this.#isOrdered &&= this.#count === 0 || atUs >= this.#atUs[this.#count - 1];
    this.#isWholeSeconds &&= atUs % SECOND_US === 0;
    this.#atUs[this.#count] = atUs;
    this.#sequence[this.#count++] = known;
  }

  #grow(): void {
    const [atUs, sequence] = [this.#atUs, this.#sequence];
    this.#atUs = new Float64Array(2 * this.#count);
    this.#atUs.set(atUs);
    this.#sequence = new Uint32Array(2 * this.#count);
    this.#sequence.set(sequence);
  }

  /**
   * The replay of all requests, of which there must be at least one. It is sorted by time, because servers log a
   * request when its response ends.
   */
  replay(): Replay {
    const count = this.#count;
    const dueUs = new Float64Array(new SharedArrayBuffer(8 * count));
    dueUs.set(this.#atUs.subarray(0, count));
    let sequence = this.#sequence.slice(0, count);
    if (!this.#isOrdered) {
      const order = Uint32Array.from(sequence, (_, at) => at);
      const atUs = this.#atUs;
      order.sort((a, b) => atUs[a] - atUs[b] || a - b);
      const given = sequence;
      sequence = order.map((at) => given[at]);
      dueUs.sort();
    }
    if (this.#isWholeSeconds) spread(dueUs);
    const [{ speed }, firstUs] = [this.options, dueUs[0]];
    for (let at = 0; at < count; at++) dueUs[at] = (dueUs[at] - firstUs) / speed;
    const lastUs = dueUs[count - 1];
    const gapUs = count === 1 ? SECOND_US : Math.max(1_000, lastUs / (count - 1));
    const requests = [...this.#requests.keys()].map((key) => {
      const [method, path] = key.split(" ");
      return { method, path };
    });
    return { requests, sequence, dueUs, durationUs: Math.ceil((lastUs + gapUs) / 1_000) * 1_000 };
  }
}

/**
 * Spreads the requests of each second evenly: of n requests, request k, counted from 0, is due k/n seconds after the
 * second begins.
 */
function spread(atUs: Float64Array): void {
  for (let from = 0, to = 0; from < atUs.length; from = to) {
    while (to < atUs.length && atUs[to] === atUs[from]) to++;
    for (let at = from + 1; at < to; at++) atUs[at] += (at - from) / (to - from) * SECOND_US;
  }
}
