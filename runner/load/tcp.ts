/**
 * The driver that works everywhere: Deno's own TCP sockets. Each open slot has one read under way, and
 * its writes follow one another.
 */
import { setImmediate } from "node:timers";
import type { Conversation, Driver } from "./driver.ts";
import type { Endpoint } from "./job.ts";

/** Room for reads, shared out over the slots: large answers need few reads, many slots little memory. */
const READ_ROOM_BYTES = 32 * 1024 * 1024;
const MIN_READ_BYTES = 4 * 1024;
const MAX_READ_BYTES = 64 * 1024;

const SPIN_US = 2_000;

interface Line {
  /** The socket; null while dialing. */
  conn: Deno.TcpConn | null;
  /** Bytes that wait for the write under way; null when none is. */
  queue: Uint8Array[] | null;
}

export class TcpDriver implements Driver {
  /** What each slot has; a new object for each dial, so that late news of an old one is recognised. */
  readonly #lines: (Line | null)[];
  readonly #readBytes: number;
  #conversation: Conversation | null = null;

  /** @param now Microseconds since the start of the run. */
  constructor(
    private readonly endpoint: Endpoint,
    slots: number,
    private readonly now: () => number,
  ) {
    this.#lines = new Array(slots).fill(null);
    this.#readBytes = Math.min(MAX_READ_BYTES, Math.max(MIN_READ_BYTES, READ_ROOM_BYTES / slots));
  }

  async run(conversation: Conversation): Promise<void> {
    this.#conversation = conversation;
    for (;;) {
      const nowUs = this.now();
      const nextUs = conversation.onTick(nowUs);
      if (nextUs < 0) return;
      await this.#wait(nextUs - nowUs, conversation.punctual);
    }
  }

  /** Timers are 1–2 ms late: whoever must be punctual spins through the last stretch, at the cost of a core. */
  #wait(timeUs: number, punctual: boolean): Promise<void> {
    return new Promise((wake) => {
      if (!punctual) setTimeout(wake, timeUs / 1_000);
      else if (timeUs > SPIN_US) setTimeout(wake, (timeUs - SPIN_US) / 1_000);
      else setImmediate(wake);
    });
  }

  connect(slot: number): void {
    const line: Line = { conn: null, queue: null };
    this.#lines[slot] = line;
    void this.#serve(slot, line);
  }

  send(slot: number, bytes: Uint8Array): void {
    const line = this.#lines[slot];
    if (line === null || line.conn === null) return;
    if (line.queue !== null) line.queue.push(bytes);
    else void this.#write(line, line.conn, bytes);
  }

  close(slot: number): void {
    const line = this.#lines[slot];
    this.#lines[slot] = null;
    line?.conn?.close();
  }

  /** The life of one connection: dial, then read until its end. */
  async #serve(slot: number, line: Line): Promise<void> {
    const conversation = this.#conversation;
    if (conversation === null) return;
    try {
      line.conn = await Deno.connect(this.endpoint);
    } catch (error) {
      if (this.#lines[slot] !== line) return;
      this.#lines[slot] = null;
      const { kind, reason } = explainDial(error);
      return conversation.onRefused(slot, kind, reason, this.now());
    }
    if (this.#lines[slot] !== line) return line.conn.close();
    line.conn.setNoDelay(true);
    conversation.onOpen(slot, this.now());
    await this.#read(slot, line, line.conn, conversation);
  }

  async #read(
    slot: number,
    line: Line,
    conn: Deno.TcpConn,
    conversation: Conversation,
  ): Promise<void> {
    const buffer = new Uint8Array(this.#readBytes);
    let broken: string | null = null;
    try {
      while (this.#lines[slot] === line) {
        const length = await conn.read(buffer);
        if (this.#lines[slot] !== line) return;
        if (length === null) break;
        conversation.onBytes(slot, buffer, length, this.now());
      }
    } catch (error) {
      broken = reasonOf(error);
    }
    if (this.#lines[slot] !== line) return;
    this.close(slot);
    conversation.onEnd(slot, broken, this.now());
  }

  /** Writes `bytes` and then what was queued meanwhile. A failed write is the reader's to tell. */
  async #write(line: Line, conn: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
    const queue: Uint8Array[] = [];
    line.queue = queue;
    try {
      for (let next: Uint8Array | undefined = bytes; next; next = queue.shift()) {
        for (let at = 0; at < next.length;) {
          at += await conn.write(at === 0 ? next : next.subarray(at));
        }
      }
    } catch {
      return;
    }
    line.queue = null;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function explainDial(error: unknown): { kind: "connect" | "dns"; reason: string } {
  const reason = reasonOf(error);
  return {
    kind: /failed to lookup address|no address|dns/i.test(reason) ? "dns" : "connect",
    reason,
  };
}
