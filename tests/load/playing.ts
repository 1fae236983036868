/** Plays the server and the clock for a loop on a stage: anything may happen to any connection at any time. */
import fc from "fast-check";
import type { DriverEvents } from "../../runner/load/engine/driver.ts";
import { encoder, type NotingDriver, OK } from "./stage.ts";

const WHATS = [
  ...["open", "refused", "answer", "answer", "half", "garbage", "twice", "end", "reset", "tick"],
] as const;

export interface Happening {
  readonly what: typeof WHATS[number];
  readonly slot: number;
  readonly afterUs: number;
}

export const SLOTS = 4;

export const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...WHATS),
    slot: fc.nat(SLOTS - 1),
    afterUs: fc.integer({ min: 1, max: 30_000 }),
  }),
  { minLength: 60, maxLength: 150 },
);

const BYTES: Partial<Record<Happening["what"], Uint8Array<ArrayBuffer>>> = {
  answer: OK,
  half: OK.subarray(0, 20),
  garbage: encoder.encode("garbage\r\n\r\n"),
  twice: Uint8Array.from([...OK, ...OK]),
};

export class Playing {
  nowUs = 0;
  /** Whether the loop has said that it is over. */
  isOver = false;
  readonly #state = Array.from({ length: SLOTS }, () => "closed");

  constructor(private readonly loop: DriverEvents, private readonly driver: NotingDriver) {}

  play({ what, slot, afterUs }: Happening): void {
    this.nowUs += afterUs;
    if (what === "tick") this.tick();
    else this.#happen(what, slot);
    this.#obey();
  }

  tick(): void {
    if (!this.isOver) this.isOver = this.loop.onTick(this.nowUs) === Infinity;
    this.#obey();
  }

  #happen(what: Happening["what"], slot: number): void {
    const { loop, nowUs } = this;
    const bytes = BYTES[what];
    if (this.#state[slot] === "dialing" && (what === "open" || what === "refused")) {
      this.#state[slot] = what === "open" ? "open" : "closed";
      if (what === "open") loop.onOpen(slot, nowUs);
      else loop.onRefused(slot, "connect", "refused", nowUs);
    } else if (this.#state[slot] === "open" && bytes) {
      loop.onBytes(slot, bytes, bytes.length, nowUs);
    } else if (this.#state[slot] === "open" && (what === "end" || what === "reset")) {
      this.#state[slot] = "closed";
      loop.onEnd(slot, what === "reset" ? "connection reset" : null, nowUs);
    }
  }

  #obey(): void {
    for (const note of this.driver.take()) {
      const [command, slot] = note.split(" ");
      if (command === "connect") this.#state[Number(slot)] = "dialing";
      if (command === "close") this.#state[Number(slot)] = "closed";
    }
  }
}
