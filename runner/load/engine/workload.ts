/**
 * The contract of a workload, which decides what is sent when, and on which slot. `request_loop.ts` and
 * `session_loop.ts` implement it; `exchanges.ts` calls it, and decides what becomes of an exchange.
 */
import type { ReceivedResponse } from "../../../base/http/received.ts";

export interface Workload {
  /** Whether responses must be kept, because the workload reads them; "head": without their bodies. */
  readonly readsResponses: boolean | "head";
  /** True if no virtual user is on a journey, so that the load may end early. */
  readonly isIdle: boolean;
  /**
   * Begins everything that is due; returns the moment at which more will be due, or Infinity if that depends on an
   * event.
   */
  onTick(nowUs: number): number;
  /** Called when the slot's connection has opened, but no exchange waited for it. */
  onOpen(slot: number, nowUs: number): void;
  /** Responses on the slot are complete; `isOpen`: whether its connection is still open. */
  onCompleted(slot: number, isOpen: boolean, nowUs: number): void;
  /**
   * The dial, or everything in flight on the slot, has failed; `isOpen`: whether the slot can take the next exchange.
   */
  onFailed(slot: number, isOpen: boolean, nowUs: number): void;
  /** Called when the slot's connection has closed with nothing in flight, and at each sweep while the slot has none. */
  onClosed(slot: number, nowUs: number): void;
  /**
   * Whether the response to `request` is correct; null if nothing is expected of it; a string says why a script failed.
   */
  check(slot: number, request: number, response: ReceivedResponse): boolean | null | string;
  /** The load's step to which a waiting or sent request belongs. */
  stepOf(slot: number, request: number): number;
  /** Skips the next due exchange, which will never be sent, and returns its step. */
  skipStep(): number;
  /** Method and path of a request in flight, as sent. */
  label(slot: number, request: number): string;
}
