/**
 * The driver that works everywhere: on the runtime's own sockets, TLS and unix ones included.
 */
import { setImmediate } from "node:timers";
import { type Endpoint, hasTls } from "../../../base/net/endpoint.ts";
import type { Driver, DriverEvents } from "../engine/driver.ts";
import type { BusyPeriods } from "../recording/busy_periods.ts";
import type { TlsUse } from "../../result/tls.ts";
import { DenoTransport } from "./deno_transport.ts";
import { NodeTransport, readsByCallback } from "./node_transport.ts";
import { LoopIteration, ReadScheduler } from "./read_scheduler.ts";
import type { ConnectionEvents, Transport, TransportConnection } from "./transport.ts";

const SPIN_US = 2_000;
/** Deno's timers count whole milliseconds, so a delay of up to 1 ms is not the machine's fault. */
const TIMER_STEP_US = 1_000;

export class TcpDriver implements Driver {
  readonly tls?: { readonly use: TlsUse };
  readonly #open: (TransportConnection | null)[];
  readonly #transports: readonly Transport[];
  readonly #slotsOfEach: number;
  readonly #iteration: LoopIteration;
  #events: ConnectionEvents | null = null;
  #wake: (() => void) | null = null;
  /** Whether a socket had an event since the last tick. */
  #hadEvent = false;

  /**
   * @param endpoints The hosts. The slots are divided equally among them, in this order.
   * @param requestBytes Size of the largest request.
   * @param now Microseconds since the start of the run.
   */
  constructor(
    endpoints: readonly Endpoint[],
    slots: number,
    private readonly now: () => number,
    private readonly busy: BusyPeriods,
    requestBytes = 0,
  ) {
    if (endpoints.some(hasTls)) {
      this.tls = { use: { by: "runtime", handshakes: [] } };
    }
    this.#open = new Array(slots).fill(null);
    this.#iteration = new LoopIteration(now, busy);
    const scheduler = new ReadScheduler(
      slots,
      this.#iteration,
      (slot) => this.#open[slot]?.readNow(),
    );
    this.#slotsOfEach = slots / endpoints.length;
    this.#transports = endpoints.map((endpoint) =>
      readsByCallback(endpoint, requestBytes)
        ? new NodeTransport(endpoint, scheduler)
        : new DenoTransport(endpoint, slots, scheduler, requestBytes)
    );
  }

  async run(handler: DriverEvents): Promise<void> {
    this.#events = this.#eventsFor(handler);
    const { punctual } = handler;
    for (;;) {
      const nowUs = this.now();
      const nextUs = handler.onTick(nowUs);
      if (nextUs === Infinity) return;
      this.#hadEvent = false;
      await this.#wait(nextUs - nowUs, punctual);
      const wokenUs = this.now();
      const spins = punctual && nextUs - nowUs <= SPIN_US;
      if (spins && !this.#hadEvent) this.busy.addSpin(nowUs, wokenUs);
      this.busy.add(punctual ? nextUs : nextUs + TIMER_STEP_US, wokenUs);
    }
  }

  /**
   * Waits until a time. In a punctual load, returns sooner: `SPIN_US` before that time, or when a socket has an event,
   * because that may change when the next tick is due. Timers are 1–2 ms late, so the caller spins through the rest, at
   * the cost of a core.
   * @param timeUs Microseconds until that time; negative if it has passed.
   */
  #wait(timeUs: number, punctual: boolean): Promise<void> {
    return new Promise((wake) => {
      if (punctual && timeUs <= SPIN_US) return void setImmediate(wake);
      // Never negative: for a negative time, the runtime prints a warning on standard error.
      const timer = setTimeout(wake, Math.max(0, punctual ? timeUs - SPIN_US : timeUs) / 1_000);
      if (!punctual) return;
      this.#wake = () => {
        clearTimeout(timer);
        wake();
      };
    });
  }

  #noteEvent(): void {
    this.#hadEvent = true;
    this.#wake?.();
    this.#wake = null;
  }

  connect(slot: number): void {
    if (this.#events === null) return;
    const transport = this.#transports[Math.floor(slot / this.#slotsOfEach)];
    this.#open[slot] = transport.open(slot, this.#events);
  }

  send(slot: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#open[slot]?.send(bytes);
  }

  unsentBytes(slot: number): number {
    return this.#open[slot]?.unsentBytes ?? 0;
  }

  // hot
  isSent(slot: number): boolean | null {
    return this.#open[slot]?.isSent ?? null;
  }

  close(slot: number): void {
    this.#open[slot]?.close();
    this.#open[slot] = null;
  }

  #eventsFor(handler: DriverEvents): ConnectionEvents {
    return {
      onOpen: (slot) => {
        const nowUs = this.now();
        this.#iteration.count(nowUs);
        handler.onOpen(slot, nowUs);
        this.#noteEvent();
      },
      onRefused: (slot, { kind, message }) => {
        this.#open[slot] = null;
        handler.onRefused(slot, kind, message, this.now());
      },
      // hot
      onBytes: (slot, bytes, length) => {
        const nowUs = this.now();
        this.#iteration.count(nowUs);
        handler.onBytes(slot, bytes, length, nowUs);
        this.#noteEvent();
      },
      onEnd: (slot, reset) => {
        this.#open[slot] = null;
        handler.onEnd(slot, reset, this.now());
      },
    };
  }
}
