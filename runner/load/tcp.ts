/**
 * The driver that works everywhere: Deno's own sockets, TLS and unix ones included. Each open
 * slot has one read under way, and its writes follow one another.
 */
import { setImmediate } from "node:timers";
import { messageOf } from "../../scenarios/errors.ts";
import { type Connection, dial } from "./dial.ts";
import { DialError } from "./dial_error.ts";
import type { Conversation, Driver } from "./driver.ts";
import type { Endpoint } from "../endpoint.ts";
import { Outlet } from "./outlet.ts";
import type { LoopWatch } from "../trust/loop_watch.ts";

/** Room for reads, shared out over the slots: large answers need few reads, many slots little memory. */
const READ_ROOM_BYTES = 32 * 1024 * 1024;
const MIN_READ_BYTES = 4 * 1024;
const MAX_READ_BYTES = 64 * 1024;

const SPIN_US = 2_000;
/** Deno's timers count whole milliseconds: being late by one is no fault of the machine. */
const TIMER_STEP_US = 1_000;

/**
 * Deno's scheduler lets 128 socket operations through in a turn of the event loop, those first that came
 * last: whoever reads again at once starves the others for seconds. So when a turn gets that full, its
 * readers step back for a moment.
 */
const CROWD = 64;

interface Line {
  /** The socket; null while dialing. */
  conn: Connection | null;
  outlet: Outlet | null;
  readonly dialing: AbortController;
}

export class TcpDriver implements Driver {
  /** What each slot has; a new object for each dial, so that late news of an old one is recognised. */
  readonly #lines: (Line | null)[];
  readonly #readBytes: number;
  #conversation: Conversation | null = null;
  /** Reads of this turn of the event loop. */
  #reads = 0;
  /** When the first of them was answered. */
  #turnUs = 0;
  readonly #endTurn = (): void => {
    this.#reads = 0;
    this.watch.held(this.#turnUs, this.now());
  };
  /** What those wait for who have read in a turn as full as it gets. */
  #pause: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  /** Whether a socket had news since the last tick. */
  #isNews = false;

  /** @param now Microseconds since the start of the run. */
  constructor(
    private readonly endpoint: Endpoint,
    slots: number,
    private readonly now: () => number,
    private readonly watch: LoopWatch,
  ) {
    this.#lines = new Array(slots).fill(null);
    this.#readBytes = Math.min(MAX_READ_BYTES, Math.max(MIN_READ_BYTES, READ_ROOM_BYTES / slots));
  }

  async run(conversation: Conversation): Promise<void> {
    this.#conversation = conversation;
    const { punctual } = conversation;
    for (;;) {
      const nowUs = this.now();
      const nextUs = conversation.onTick(nowUs);
      if (nextUs === Infinity) return;
      this.#isNews = false;
      await this.#wait(nextUs - nowUs, punctual);
      const wokenUs = this.now();
      const spins = punctual && nextUs - nowUs <= SPIN_US;
      if (spins && !this.#isNews) this.watch.spun(nowUs, wokenUs);
      this.watch.held(punctual ? nextUs : nextUs + TIMER_STEP_US, wokenUs);
    }
  }

  /**
   * Timers are 1–2 ms late: whoever must be punctual spins through the last stretch, at the cost of a
   * core. News from a socket ends his wait too, as it may change when he is next needed.
   */
  #wait(timeUs: number, punctual: boolean): Promise<void> {
    return new Promise((wake) => {
      if (punctual && timeUs <= SPIN_US) return void setImmediate(wake);
      const timer = setTimeout(wake, (punctual ? timeUs - SPIN_US : timeUs) / 1_000);
      if (!punctual) return;
      this.#wake = () => {
        clearTimeout(timer);
        wake();
      };
    });
  }

  #tellNews(): void {
    this.#isNews = true;
    this.#wake?.();
    this.#wake = null;
  }

  connect(slot: number): void {
    const line: Line = { conn: null, outlet: null, dialing: new AbortController() };
    this.#lines[slot] = line;
    void this.#serve(slot, line);
  }

  send(slot: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#lines[slot]?.outlet?.send(bytes);
  }

  close(slot: number): void {
    const line = this.#lines[slot];
    this.#lines[slot] = null;
    line?.outlet?.stop();
    if (line?.conn) line.conn.close();
    else line?.dialing.abort();
  }

  /** The life of one connection: dial, then read until its end. */
  async #serve(slot: number, line: Line): Promise<void> {
    const conversation = this.#conversation;
    if (conversation === null) return;
    try {
      line.conn = await dial(this.endpoint, line.dialing.signal);
    } catch (error) {
      if (this.#lines[slot] !== line) return;
      if (!(error instanceof DialError)) throw error;
      this.#lines[slot] = null;
      return conversation.onRefused(slot, error.kind, error.message, this.now());
    }
    if (this.#lines[slot] !== line) return line.conn.close();
    line.outlet = new Outlet(line.conn);
    conversation.onOpen(slot, this.now());
    this.#tellNews();
    await this.#read(slot, line, line.conn, conversation);
  }

  async #read(
    slot: number,
    line: Line,
    conn: Connection,
    conversation: Conversation,
  ): Promise<void> {
    const buffer = new Uint8Array(this.#readBytes);
    let broken: string | null = null;
    try {
      while (this.#lines[slot] === line) {
        const length = await conn.read(buffer);
        if (this.#lines[slot] !== line) return;
        if (length === null) break;
        const nowUs = this.now();
        conversation.onBytes(slot, buffer, length, nowUs);
        this.#tellNews();
        if (++this.#reads >= CROWD) await (this.#pause ??= this.#letOthersRead());
        else if (this.#reads === 1) this.#beginTurn(nowUs);
      }
    } catch (error) {
      broken = messageOf(error).split(": https:", 1)[0]; // rustls adds where to read more
    }
    if (this.#lines[slot] !== line) return;
    this.close(slot);
    conversation.onEnd(slot, broken, this.now());
  }

  #beginTurn(nowUs: number): void {
    this.#turnUs = nowUs;
    setImmediate(this.#endTurn);
  }

  #letOthersRead(): Promise<void> {
    return new Promise((resolve) =>
      setTimeout(() => {
        this.#pause = null;
        resolve();
      }, 0)
    );
  }
}
