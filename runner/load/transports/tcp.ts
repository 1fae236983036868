/**
 * The driver that works everywhere: on the runtime's own sockets, TLS and unix ones included.
 */
import { setImmediate } from "node:timers";
import type { Endpoint } from "../../../base/net/endpoint.ts";
import type { Conversation, Driver } from "../engine/driver.ts";
import type { LoopWatch } from "../recording/busy_periods.ts";
import { PulledWires } from "./deno_transport.ts";
import { canPush, PushedWires } from "./node_transport.ts";
import { ReadTurns, Turn } from "./read_scheduler.ts";
import type { Wire, WireNews, Wires } from "./transport.ts";

const SPIN_US = 2_000;
/** Deno's timers count whole milliseconds: being late by one is no fault of the machine. */
const TIMER_STEP_US = 1_000;

export class TcpDriver implements Driver {
  readonly #open: (Wire | null)[];
  readonly #wires: Wires;
  readonly #turn: Turn;
  #conversation: Conversation | null = null;
  #wake: (() => void) | null = null;
  /** Whether a socket had news since the last tick. */
  #isNews = false;

  /** @param now Microseconds since the start of the run. */
  constructor(
    endpoint: Endpoint,
    slots: number,
    private readonly now: () => number,
    private readonly watch: LoopWatch,
  ) {
    this.#open = new Array(slots).fill(null);
    this.#turn = new Turn(now, watch);
    const turns = new ReadTurns(slots, this.#turn, (slot) => this.#open[slot]?.readInTurn());
    this.#wires = canPush(endpoint)
      ? new PushedWires(endpoint, turns)
      : new PulledWires(endpoint, slots, turns);
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
   * @param timeUs Below 0 for what is overdue.
   */
  #wait(timeUs: number, punctual: boolean): Promise<void> {
    return new Promise((wake) => {
      if (punctual && timeUs <= SPIN_US) return void setImmediate(wake);
      // The runtime warns of a negative time, on standard error.
      const timer = setTimeout(wake, Math.max(0, punctual ? timeUs - SPIN_US : timeUs) / 1_000);
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
    const conversation = this.#conversation;
    if (conversation === null) return;
    this.#open[slot] = this.#wires.open(slot, this.#newsOf(slot, conversation));
  }

  send(slot: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#open[slot]?.send(bytes);
  }

  close(slot: number): void {
    this.#open[slot]?.close();
    this.#open[slot] = null;
  }

  #newsOf(slot: number, conversation: Conversation): WireNews {
    return {
      onOpen: () => {
        const nowUs = this.now();
        this.#turn.count(nowUs);
        conversation.onOpen(slot, nowUs);
        this.#tellNews();
      },
      onRefused: ({ kind, message }) => {
        this.#open[slot] = null;
        conversation.onRefused(slot, kind, message, this.now());
      },
      // hot
      onBytes: (bytes, length) => {
        const nowUs = this.now();
        this.#turn.count(nowUs);
        conversation.onBytes(slot, bytes, length, nowUs);
        this.#tellNews();
      },
      onEnd: (reset) => {
        this.#open[slot] = null;
        conversation.onEnd(slot, reset, this.now());
      },
    };
  }
}
