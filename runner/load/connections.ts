/**
 * The connections of a load, one a slot: what state each is in, when it was dialed, and when it may be
 * dialed again. It gives the driver the commands to dial and close; what is sent is not its business.
 */
import { BackOff } from "./back_off.ts";
import type { Driver } from "./driver.ts";
import type { Recorder } from "./recorder.ts";

export const CLOSED = 0;
export const CONNECTING = 1;
export const OPEN = 2;

const NEVER = -1;

export class Connections {
  readonly #state: Uint8Array;
  readonly #dialedUs: Float64Array;
  readonly #backOff: BackOff;

  constructor(slots: number, private readonly parts: { driver: Driver; recorder: Recorder }) {
    this.#state = new Uint8Array(slots);
    this.#dialedUs = new Float64Array(slots).fill(NEVER);
    this.#backOff = new BackOff(slots);
  }

  state(slot: number): number {
    return this.#state[slot];
  }

  /** When the slot was last dialed, microseconds. */
  dialedUs(slot: number): number {
    return this.#dialedUs[slot];
  }

  mayDial(slot: number, nowUs: number): boolean {
    return this.#backOff.mayDial(slot, nowUs);
  }

  dial(slot: number, nowUs: number): void {
    if (this.#dialedUs[slot] !== NEVER) this.parts.recorder.reconnects++;
    this.#dialedUs[slot] = nowUs;
    this.#state[slot] = CONNECTING;
    this.parts.driver.connect(slot);
  }

  opened(slot: number, nowUs: number): void {
    this.#state[slot] = OPEN;
    this.parts.recorder.connected(nowUs - this.#dialedUs[slot]);
  }

  /** The dial has failed: the next is tried after a pause. */
  refused(slot: number, nowUs: number): void {
    this.#state[slot] = CLOSED;
    this.#backOff.pause(slot, nowUs);
  }

  /** The peer has ended it, and the driver knows. */
  ended(slot: number): void {
    this.#state[slot] = CLOSED;
  }

  // hot: it has brought an answer.
  answered(slot: number): void {
    this.#backOff.reset(slot);
  }

  /** Closes it, and takes the next for another's first. */
  leave(slot: number): void {
    this.close(slot);
    this.#dialedUs[slot] = NEVER;
  }

  close(slot: number): void {
    if (this.#state[slot] !== CLOSED) this.parts.driver.close(slot);
    this.#state[slot] = CLOSED;
  }

  /** Closes it; gives whether another may take its place at once. */
  giveUp(slot: number, nowUs: number): boolean {
    this.close(slot);
    return this.#backOff.ended(slot, nowUs);
  }
}
