/**
 * A turn of the worker's event loop, from the first news of a socket until all that is new has been
 * handled: whatever became ready meanwhile had to wait for its end.
 */
import { setImmediate } from "node:timers";
import type { LoopWatch } from "./loop_watch.ts";

export class Turn {
  /** Turns before this one. */
  index = 0;
  /** News of sockets in this turn. */
  events = 0;
  /** Called after each turn that had any; set by whoever has to know. */
  onEnd = (): void => {};
  /** When the first of them was told. */
  #beganUs = 0;

  /** @param now Microseconds since the start of the run. */
  constructor(private readonly now: () => number, private readonly watch: LoopWatch) {}

  // hot: a connection was opened, or has brought something.
  count(nowUs: number): void {
    if (++this.events > 1) return;
    this.#beganUs = nowUs;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.watch.held(this.#beganUs, this.now());
    this.events = 0;
    this.index++;
    this.onEnd();
  };
}
